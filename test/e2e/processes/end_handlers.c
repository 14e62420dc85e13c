/*===- end_handlers.c - What the program does as it ends -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Handlers of exit and quick_exit, destructors of files, and a thread's
// destructors run code of the program. All of that is in the last period.
// RUN: %known_sets --ways O0,O2 --status 3 %s

#include "known_sets.h"

#include <pthread.h>
#include <sys/wait.h>

static char *pages;
static void touch(int page) {
  *(volatile char *)(pages + page * PAGE) = 1;
  expect_write(pages + page * PAGE, 1);
}
static void at_exit(void) { touch(0); }
static void at_quick_exit_of_child(void) { touch(4); }
static void on_exits(int status, void *page) {
  require_equal(status, 3);
  touch((int)(long)page);
}
static void end_of_key(void *page) { touch((int)(long)page); }
__attribute__((destructor)) static void end_of_file(void) {
  if (pages)
    touch(3);
}

static pthread_key_t key;
static void *thread(void *page) {
  require_equal(pthread_setspecific(key, page), 0);
  return NULL;
}

int main(void) {
  pages = arena(0, 16 * PAGE);
  end_period();
  const pid_t child = fork();
  if (!child) {
    known_sets_after_fork();
    at_quick_exit(at_quick_exit_of_child);
    quick_exit(0);
  }
  require_equal(waitpid(child, NULL, 0), child);
  pthread_t other;
  require_equal(pthread_key_create(&key, end_of_key), 0);
  require_equal(pthread_create(&other, NULL, thread, (void *)2), 0);
  require_equal(pthread_join(other, NULL), 0);
  atexit(at_exit);
  on_exit(on_exits, (void *)1);
  exit(3);
}
