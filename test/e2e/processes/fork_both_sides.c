/*===- fork_both_sides.c - Parent and child run on, each in its own trace --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --traces 3 --info complete %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site --traces 3 --info complete %s

#include "known_sets.h"

#include <pthread.h>
#include <sys/wait.h>

static char *a, *shared;
static int to_child[2], to_parent[2];

static void tell(int *pipe) { require(write(pipe[1], "x", 1) == 1); }
static void await(int *pipe) {
  char byte;
  require(read(pipe[0], &byte, 1) == 1);
}

static void touch(char *page) {
  *page += 1;
  expect_both(page, 1);
}
static void touch_shared(char *page) {
  *page += 1;
#ifndef SHARED_IS_NOT_SEEN /* by engine fork */
  expect_both(page, 1);
#endif
}

/* Marks from handlers of fork belong to the side on which they run. */
static void before(void) { touch(a + 50 * PAGE); }
static void in_parent(void) { touch(a + 51 * PAGE); }
static void in_child(void) {
  known_sets_after_fork();
  touch(a + 52 * PAGE);
}

static void grandchild(void) {
  touch(a + 30 * PAGE);
  touch_shared(shared + 3 * PAGE);
  end_period();
  touch(a + 31 * PAGE);
}

static void child(void) {
  for (int round = 0; round < 5; ++round) {
    await(to_child);
    touch(a + (10 + round) * PAGE);
    touch_shared(shared + PAGE);
    if (round & 1)
      end_period();
    tell(to_parent);
  }
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    grandchild();
    exit(4);
  }
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 4);
  touch(a + 20 * PAGE);
  exit(3);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  shared = (char *)mmap((void *)(ARENA_BASE + GIB), 16 * PAGE,
                        PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  require(shared == (char *)ARENA_BASE + GIB);
  require_status(pagetide_watch(shared, 16 * PAGE), PAGETIDE_OK);
  require(pipe(to_child) == 0 && pipe(to_parent) == 0);
  pthread_atfork(before, in_parent, in_child);

  touch(a);
  end_period();
  touch(a + PAGE); /* in the parent's running period, and not in the child's */
  int pid = fork();
  require(pid >= 0);
  if (pid == 0)
    child();
  for (int round = 0; round < 5; ++round) {
    touch(a + (2 + round) * PAGE);
    touch_shared(shared);
    tell(to_child);
    await(to_parent);
    end_period();
  }
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  touch(a + 8 * PAGE);
  return 0;
}
