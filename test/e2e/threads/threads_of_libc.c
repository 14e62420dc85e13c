/*===- threads_of_libc.c - SIGEV_THREAD: libc makes the threads ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// What the program's function touches on such a thread stands under that
// thread.
// RUN: %known_sets --may-carry --ways O1,O2/write %s

#include "known_sets.h"

#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

static char *a;
static int done;

static void notified(union sigval value) {
  char *page = (char *)value.sival_ptr;
  *(volatile char *)page = 1;
  expect_write(page, 1);
  memset(page + PAGE, 1, 10);
  expect_write(page + PAGE, 10);
  __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
}

static struct sigevent event_for(char *page) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notified;
  event.sigev_value.sival_ptr = page;
  return event;
}

static void wait_for(int count) {
  while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < count)
    sched_yield();
}

int main(void) {
  a = arena(0, 64 * PAGE);
  timer_t timers[3];
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  for (int i = 0; i < 3; ++i) {
    struct sigevent event = event_for(a + 4 * i * PAGE);
    require(timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0);
  }
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 3; ++i)
      require(timer_settime(timers[i], 0, &soon, NULL) == 0);
    wait_for(3 * round);
    end_period();
  }
  for (int i = 0; i < 3; ++i)
    require(timer_delete(timers[i]) == 0);

  char name[64];
  snprintf(name, sizeof name, "/pagetide-test-%d", (int)getpid());
  mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
  require(queue != (mqd_t)-1);
  mq_unlink(name);
  struct sigevent event = event_for(a + 20 * PAGE);
  require(mq_notify(queue, &event) == 0);
  require(mq_send(queue, "x", 1, 0) == 0);
  wait_for(7);
  end_period();
  mq_close(queue);
  return 0;
}
