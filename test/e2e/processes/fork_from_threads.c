/*===- fork_from_threads.c - fork amid threads, and threads after fork -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry --traces 5 --info complete %s

#include "known_sets.h"

#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 4 };

static char *a;

static void touch(char *page) {
  *page += 1;
  expect_both(page, 1);
}

static void *second_thread(void *page) {
  touch((char *)page);
  return NULL;
}

/* The child has one thread, the one that called fork, under a new id. */
static void child(size_t t) {
  known_sets_after_fork();
  touch(a + (10 * t + 1) * PAGE);
  end_period();
  pthread_t thread;
  require(pthread_create(&thread, NULL, second_thread,
                         a + (10 * t + 2) * PAGE) == 0);
  require(pthread_join(thread, NULL) == 0);
  touch(a + (10 * t + 3) * PAGE);
  end_period();
  _exit(0);
}

static void *forks(void *argument) {
  size_t t = (size_t)argument;
  touch(a + 10 * t * PAGE);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0)
    child(t);
  touch(a + (10 * t + 4) * PAGE);
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require_equal(status, 0);
  return NULL;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, forks, (void *)t) == 0);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  end_period();
  return 0;
}
