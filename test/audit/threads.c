/*===- threads.c - Thread stacks are told apart from other memory ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// What malloc keeps for libc in the heap is another matter.
// RUN: %check_audit --without heap report known
// RUN: grep -q '"kind":"thread-stack"' report

#include "audited.h"

#include <pthread.h>

static char *shared_pages;

/* Code without marks writes the thread's stack, its thread-local storage, and
 * one page of anonymous memory. */
static __thread char local[3 * PAGE];

static void *work(void *number) {
  char frame[4 * PAGE];
  for (int i = 0; i < 4; ++i)
    plain_write(frame + i * PAGE);
  plain_write(local + PAGE);
  plain_write(shared_pages + (long)number * PAGE);
  return NULL;
}

int main(void) {
  enum { kThreads = 40 };
  shared_pages = pages_apart(kThreads + 1);
  for (long i = 0; i < kThreads; i += 4) {
    pthread_t threads[4];
    for (long t = 0; t < 4; ++t)
      REQUIRE(!pthread_create(&threads[t], NULL, work, (void *)(i + t)));
    for (int t = 0; t < 4; ++t)
      REQUIRE(!pthread_join(threads[t], NULL));
    if (i % 8 == 0)
      end_period();
  }
  end_period();
  for (int i = 0; i < kThreads; ++i)
    known("anonymous", shared_pages + i * PAGE, 1);
  return 0;
}
