/*===- raw_clone.c - Threads made without the C library's threads ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A thread made by clone() has a shadow of its own, even if it shares its
// creator's thread-local storage, or is not a thread to the kernel. One that is
// made by the system call itself marks into its creator's shadow: by thread its
// pages are its creator's.
// RUN: %known_sets --may-carry --ways O0,O2,O2/write %s

#include "known_sets.h"
#include "raw_thread.h"

#include <sys/wait.h>

static char *a;
static int alive;

static int work(void *argument) {
  for (int i = 0; i < 10; ++i)
    a[(10 + i) * PAGE] = 1;
  /* The kernel's writes too stand under the right thread. */
  int zero = open("/dev/zero", O_RDONLY);
  require(zero >= 0 && read(zero, a + 40 * PAGE, 1) == 1);
  close(zero);
  if (argument) /* ends unseen */
    syscall(SYS_exit, 0);
  return 0;
}
static void raw_work(void *argument) { work(argument); }

/* States what work does; by its creator, for it may have a pid of its own. */
static void expect_work(int tid) {
  for (int i = 0; i < 10; ++i)
    expect_at(known_period_, tid, a + (10 + i) * PAGE, 1, "w");
  expect_at(known_period_, tid, a + 40 * PAGE, 1, "w");
}

/* Runs work by clone() and waits for its end. */
static void run_clone(int flags, void *argument) {
  char *stack = (char *)malloc(256 * KIB);
  require(stack != NULL);
  alive = 1;
  int tid = clone(work, stack + 256 * KIB,
                  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                      CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | flags,
                  argument, NULL, NULL, &alive);
  require(tid > 0);
  wait_for_raw_thread(&alive);
  if (!(flags & CLONE_THREAD))
    require(waitpid(tid, NULL, 0) == tid);
  free(stack);
  expect_work(tid);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  for (int round = 0; round < 3; ++round) {
    a[round * PAGE] = 1;
    expect_write(a + round * PAGE, 1);
    run_clone(CLONE_THREAD, NULL);
    run_clone(CLONE_THREAD, a);
    run_clone(SIGCHLD, NULL);
    run_clone(SIGCHLD, a);
    raw_thread(raw_work, NULL, &alive);
    wait_for_raw_thread(&alive);
    expect_work(thread_id());
    end_period();
  }
  return 0;
}
