/*===- end_period_calls.c - Periods that end at every Nth intercepted call -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --option end_period_calls=10 --traces 2 --info complete %s

#include "known_sets.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* Every call of libc may count: what happened is written down here, and stated
 * when all is over. The callback runs on the thread that ends the period. */
enum { MOST = 4096 };
static struct {
  uint64_t period;
  int tid;
  char *page;
} touched[MOST];
static int count;
static uint64_t ended;

static void count_period(const pagetide_period *period, void *user) {
  (void)user;
  ended = period->index + 1;
}

static int known_tid; /* asking for it is a call */

static void touch(char *page) {
  require(count < MOST);
  *(volatile char *)page = 1;
  touched[count].period = ended;
  touched[count].tid = known_tid;
  touched[count].page = page;
  ++count;
}

static NOINLINE size_t call(const char *text) {
  OPAQUE(text);
  return strlen(text);
}

/* Calls until a period ends: the next one ends at the Nth call from here. */
static void await_end(void) {
  uint64_t before = ended;
  while (ended == before)
    require(call("waiting") == 7);
}

static char *a;

static void touch_and_call(int pages) {
  await_end();
  uint64_t first = ended;
  for (int i = 0; i < pages; ++i) {
    touch(a + i * PAGE);
    require(call("abc") == 3);
    touch(a + i * PAGE);
    require_equal(ended, first + (unsigned)(i + 1) / 10);
  }
}

/* What the compiler makes calls of where the program copies counts too. */
static void copy_and_fill(char *to, size_t bytes) {
  await_end();
  uint64_t first = ended;
  OPAQUE(bytes);
  for (int i = 0; i < 10; ++i) {
    require_equal(ended, first);
    memset(to, i, bytes);
    OPAQUE(to);
  }
  require_equal(ended, first + 1);
}

static void *calls_of_a_thread(void *unused) {
  for (int i = 0; i < 1000; ++i)
    require(call("thread") == 6);
  known_tid = thread_id();
  touch(a + 200 * PAGE);
  return unused;
}

static void handler(int number) {
  (void)number;
  require(call("handler") == 7);
}

static void state_all(void) {
  int known = count;
  for (int i = 0; i < known; ++i)
    expect_at(touched[i].period, touched[i].tid, touched[i].page, 1, "w");
}

int main(void) {
  require_status(pagetide_on_period(count_period, NULL), PAGETIDE_OK);
  known_tid = thread_id();
  a = arena(0, 256 * PAGE);
  touch_and_call(35);

  char *unwatched = map_arena(1, 2 * PAGE);
  copy_and_fill(unwatched, 5000);

  /* Calls of other threads do not count. */
  pthread_t thread;
  await_end();
  uint64_t before = ended;
  require(pthread_create(&thread, NULL, calls_of_a_thread, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  known_tid = thread_id();
  require(ended - before <= 1);

  /* Those of a handler do. */
  signal(SIGUSR1, handler);
  await_end();
  before = ended;
  for (int i = 0; i < 30; ++i)
    raise(SIGUSR1);
  require(ended - before >= 3);

  /* A child has its own count, and its own trace. */
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    count = 0;
    ended = 0;
    known_tid = thread_id();
    touch_and_call(25);
    state_all();
    return 0;
  }
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  touch_and_call(15);
  state_all();
  return 0;
}
