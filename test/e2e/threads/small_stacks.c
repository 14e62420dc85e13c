/*===- small_stacks.c - Threads with the smallest stacks there are ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// What the runtime does in a call of the program must fit on a stack of 16 KiB.
// libc's own data and the program's frames take a part of that.
// RUN: %known_sets --ways O1 --modes process %s

#include "known_sets.h"

#include <limits.h>
#include <pthread.h>
#include <sys/uio.h>

static char *a;
static int ends[2];

/* Everything that would need stack of its own is prepared before. */
static struct iovec few[3], many[1000];
static char sources[1000];

static void *run(void *arg) {
  require(writev(ends[1], few, 3) == 3);
  require(readv(ends[0], many, 3) == 3);
  require(write(ends[1], sources, 1000) == 1000);
  require(readv(ends[0], many, 1000) == 1000);
  a[60 * PAGE] = 1;
  return arg;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  require(pipe(ends) == 0);
  for (int i = 0; i < 3; ++i)
    few[i].iov_base = a + i * PAGE, few[i].iov_len = 1;
  for (int i = 0; i < 1000; ++i)
    many[i].iov_base = a + (i % 50 + 5) * PAGE + i / 50, many[i].iov_len = 1;
  /* With a page below it that nobody may touch. */
  const size_t bytes = (size_t)PTHREAD_STACK_MIN;
  char *stack = (char *)mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(stack != MAP_FAILED && mprotect(stack, PAGE, PROT_NONE) == 0);
  pthread_attr_t attributes;
  pthread_t thread;
  require(pthread_attr_init(&attributes) == 0);
  require(pthread_attr_setstack(&attributes, stack + PAGE, bytes) == 0);
  require(pthread_create(&thread, &attributes, run, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  expect_read(a, 2 * PAGE + 1);
  for (int i = 0; i < 50; ++i)
    expect_write(a + (i + 5) * PAGE, 1);
  expect_write(a + 60 * PAGE, 1);
  return 0;
}
