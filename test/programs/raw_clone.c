/*===- raw_clone.c - A thread made without the C library -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Such a thread marks into the shadow of its parent: by thread its pages are its
// parent's.
// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <linux/futex.h>
#include <sched.h>

static char *a;
static int alive;
static int parent;

static int work(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; ++i)
    a[(10 + i) * PAGE] = 1;
  return 0;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  char *stack = (char *)malloc(256 * KIB);
  require(stack != NULL);
  parent = thread_id();
  for (int round = 0; round < 3; ++round) {
    a[round * PAGE] = 1;
    expect_write(a + round * PAGE, 1);
    alive = 1;
    int tid = clone(work, stack + 256 * KIB,
                    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                        CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
                    NULL, NULL, NULL, &alive);
    require(tid > 0);
    while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
      syscall(SYS_futex, &alive, FUTEX_WAIT, 1, NULL, NULL, 0);
    for (int i = 0; i < 10; ++i)
      expect_at(known_period_, parent, a + (10 + i) * PAGE, 1, "w");
    end_period();
  }
  free(stack);
  return 0;
}
