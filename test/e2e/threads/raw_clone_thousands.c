/*===- raw_clone_thousands.c - Clones that come and go unseen --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Threads made by clone() that end by the bare exit system call give their
// slots back too: five thousand in one process, which has room for fewer than
// two thousand shadows, and none has to share.
// RUN: rm -f %t.log.*
// RUN: %known_sets --may-carry --ways O2 --modes process \
// RUN:   --option log_path=%t.log %s
// RUN: not grep Pagetide %t.log.*

#include "known_sets.h"
#include "raw_thread.h"

enum { THREADS = 5000 };

static char *a;

static int work(void *page) {
  *(volatile char *)page = 1;
  syscall(SYS_exit, 0);
  return 0;
}

int main(void) {
  a = arena(0, THREADS * PAGE);
  char *stack = (char *)malloc(64 * KIB);
  require(stack != NULL);
  for (int i = 0; i < THREADS; ++i) {
    int alive = 1;
    int tid = clone(work, stack + 64 * KIB,
                    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                        CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
                    a + i * PAGE, NULL, NULL, &alive);
    require(tid > 0);
    wait_for_raw_thread(&alive);
  }
  expect_write(a, THREADS * PAGE);
  end_period();
  return 0;
}
