/*===- checksums_waits.c - The page of what a thread waits for -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Whoever waits for a mutex or a condition writes it when it goes on: until then
// its page is not stable, though the thread sleeps in the kernel. Those between
// the two are none of its business. Cancelled, it waits no more.
// RUN: %build_c -O1 %s -o %t
// RUN: PAGETIDE_OPTIONS=settle_wait=2s %t

#include "recording.h"

#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t *mutex;
static pthread_cond_t *condition;
static char *between;
static sem_t handler_runs, handler_may_end;
static volatile int waiter;

static int is_stable(const void *p) {
  const pagetide_page *page = page_of(p);
  require(page != NULL);
  if (page->state != PAGETIDE_STATE_STABLE)
    require_equal(page->state, PAGETIDE_STATE_UNSTABLE);
  return page->state == PAGETIDE_STATE_STABLE;
}

/* Whether the pages with mutex and condition are stable, written or not. */
static int stable(void) {
  ((volatile char *)mutex)[1000] += 1;
  ((volatile char *)condition)[1000] += 1;
  *(volatile char *)between += 1;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(is_stable(between));
  require_equal(is_stable(mutex), is_stable(condition));
  return is_stable(mutex);
}

static void wait_until_waiting(void) {
  while (!waiter)
    usleep(100);
  wait_until_blocked(waiter);
}

static void handler(void *unused) {
  (void)unused;
  pthread_mutex_unlock(mutex);
  sem_post(&handler_runs);
  while (sem_wait(&handler_may_end)) {
  }
}

static void *waits(void *unused) {
  pthread_mutex_lock(mutex);
  pthread_cleanup_push(handler, NULL);
  waiter = (int)syscall(SYS_gettid);
  for (;;)
    pthread_cond_wait(condition, mutex);
  pthread_cleanup_pop(0);
  return unused;
}
static void *locks(void *unused) {
  waiter = (int)syscall(SYS_gettid);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return unused;
}

int main(void) {
  char *a = arena(0, 64 * PAGE);
  mutex = (pthread_mutex_t *)a, between = a + 20 * PAGE;
  condition = (pthread_cond_t *)(a + 40 * PAGE);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_start(&config), PAGETIDE_OK);
  require(stable());

  pthread_t thread;
  require(pthread_create(&thread, NULL, waits, NULL) == 0);
  wait_until_waiting();
  require(!stable());
  require(!stable());
  /* It goes on to run its handlers, and sleeps there. */
  require(pthread_cancel(thread) == 0);
  while (sem_wait(&handler_runs)) {
  }
  require_status(pagetide_period_end(), PAGETIDE_OK); /* with its marks */
  require(stable());
  sem_post(&handler_may_end);
  pthread_join(thread, NULL);
  require(stable());

  pthread_mutex_lock(mutex);
  waiter = 0;
  require(pthread_create(&thread, NULL, locks, NULL) == 0);
  wait_until_waiting();
  ((volatile char *)mutex)[1000] += 1;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(!is_stable(mutex));
  pthread_mutex_unlock(mutex);
  pthread_join(thread, NULL);
  require(stable());
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
