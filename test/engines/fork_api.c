/*===- fork_api.c - What copies of the memory must not do to a program -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t && %with_fork %t

#include "recording.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char *a;
static int child_signals;

static void on_child(int number) { child_signals += number == SIGCHLD; }

static void end(void) { require_status(pagetide_period_end(), PAGETIDE_OK); }
static uint32_t state(int page) { return flags_of(0, a + page * PAGE); }
static void same_value(int page) {
  char value = read_byte(a + page * PAGE);
  *(volatile char *)(a + page * PAGE) = value;
}

/* No wait of the program sees what keeps its memory, and no signal tells. */
static void check_no_children(void) {
  int status;
  end();
  require(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
  end();
  require(wait(&status) == -1 && errno == ECHILD);
  require_equal(child_signals, 0);
}

/* A forked process has the program's frames too, until it ends. Meanwhile a
 * page was written if its contents have changed. */
static void check_relative(int raw) {
  int to_child[2], to_parent[2];
  char byte = 0;
  require(pipe(to_child) == 0 && pipe(to_parent) == 0);
  for (int i = 0; i < 8; ++i)
    same_value(i);
  end();
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  require(pid >= 0);
  if (pid == 0) {
    a[5 * PAGE] += 1; /* in its own memory */
    (void)!write(to_parent[1], &byte, 1);
    (void)!read(to_child[0], &byte, 1);
    raise(SIGKILL);
  }
  require(read(to_parent[0], &byte, 1) == 1);
  for (int round = 0; round < 3; ++round) {
    end(); /* the pages are the child's too, and the copy's */
    a[round * PAGE] += 1;
    end();
    for (int i = 0; i < 8; ++i)
      require_equal(state(i), i == round ? PAGETIDE_WRITTEN : 0);
    /* What the child does not have any more: exact again. */
    same_value(round);
    end();
    for (int i = 0; i < 8; ++i)
      require_equal(state(i), i == round ? PAGETIDE_WRITTEN : 0);
  }
  require(write(to_child[1], &byte, 1) == 1);
  int status;
  require(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
  /* Who reads the child's files in /proc keeps its memory a moment longer. */
  int tries = 0;
  do {
    end();
    for (int i = 0; i < 8; ++i)
      same_value(i);
    end();
  } while (state(7) == 0 && ++tries < 1000);
  for (int i = 0; i < 8; ++i)
    require_equal(state(i), PAGETIDE_WRITTEN);
  close(to_child[0]), close(to_child[1]);
  close(to_parent[0]), close(to_parent[1]);
}

/* realloc has the kernel move a large block: what was not written is not
 * certain, and what was is. */
static void check_realloc(void) {
  char *block = malloc(16 * MIB);
  require(block != NULL);
  memset(block, 7, 16 * MIB);
  require_status(pagetide_watch(block, 16 * MIB), PAGETIDE_OK);
  end();
  /* What lies there keeps it from growing in its place. */
  (void)mmap((char *)(((uintptr_t)block + 16 * MIB + PAGE) & ~(PAGE - 1)), PAGE,
             PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0);
  char *moved = realloc(block, 64 * MIB);
  require(moved != NULL && moved != block);
  require_status(pagetide_watch(moved, 64 * MIB), PAGETIDE_OK);
  moved[5 * MIB] = 1;
  moved[40 * MIB] = 1;
  end();
  require_equal(flags_of(0, moved + 5 * MIB), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, moved + 40 * MIB), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, moved + 6 * MIB), PAGETIDE_MAY_WRITTEN);
  require_equal(flags_of(0, moved + 50 * MIB), 0);
  end();
  require_equal(flags_of(0, moved + 6 * MIB), 0);
  free(moved);
}

int main(void) {
  signal(SIGCHLD, on_child);
  a = arena(0, 256 * PAGE);
  for (int i = 0; i < 8; ++i)
    a[i * PAGE] = (char)(i + 1);
  start_driven();
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  check_no_children();
  check_relative(0);
  check_relative(1);
  check_realloc();
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
