/*===- api_leave_out.c - Threads and scopes that are left out --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <pthread.h>
#include <signal.h>

static char *a;

static NOINLINE void touch(char *page) {
  *(volatile char *)page = 1;
}
__attribute__((disable_sanitizer_instrumentation)) static NOINLINE void
left_out_function(char *page) {
  *(volatile char *)page = 1;
}
static void begin(void) {
  require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
}
static void end(void) { require_status(pagetide_leave_out_end(), PAGETIDE_OK); }

static void *seen_thread(void *page) {
  touch((char *)page);
  expect_write(page, 1);
  return NULL;
}
static void *left_out_thread(void *page) {
  begin(); /* for good */
  touch((char *)page);
  memset((char *)page + PAGE, 1, 10 * PAGE);
  return NULL;
}
static void run(void *(*function)(void *), void *page) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, function, page) == 0);
  require(pthread_join(thread, NULL) == 0);
}
static void in_handler(int signal) {
  begin();
  touch(a + signal * PAGE);
  end();
}

int main(void) {
  a = arena(0, 256 * PAGE);
  touch(a), expect_write(a, 1);
  begin();
  touch(a + PAGE);
  memset(a + 2 * PAGE, 1, 5 * PAGE);
  require_status(pagetide_mark_written(a + 10 * PAGE, PAGE), PAGETIDE_OK);
  begin(); /* they nest */
  touch(a + 11 * PAGE);
  end();
  touch(a + 12 * PAGE);
  end();
  left_out_function(a + 14 * PAGE);
  touch(a + 13 * PAGE), expect_write(a + 13 * PAGE, 1);
  end_period();

  /* Over the end of a period. */
  begin();
  touch(a);
  end_period();
  touch(a + PAGE);
  end();
  touch(a + 2 * PAGE), expect_write(a + 2 * PAGE, 1);
  end_period();

  /* The calling thread's accesses and no others; a thread that is left out
   * makes threads that are not. */
  begin();
  run(seen_thread, a + 20 * PAGE);
  touch(a + 21 * PAGE);
  end();
  end_period();
  run(left_out_thread, a + 30 * PAGE);
  run(seen_thread, a + 40 * PAGE);
  end_period();

  signal(SIGUSR1, in_handler);
  raise(SIGUSR1);
  touch(a + 50 * PAGE), expect_write(a + 50 * PAGE, 1);
  begin();
  raise(SIGUSR1);
  touch(a + 51 * PAGE);
  end();
  end_period();
  return 0;
}
