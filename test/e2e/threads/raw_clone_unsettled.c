/*===- raw_clone_unsettled.c - A thread nobody saw being made owes a write -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Its marks are in its creator's shadow, but it settles by itself. Until it
// has, pages that either has marked are unstable and carried, even if the
// creator is settled or has ended.
// RUN: %build_c -O1 %s -o %t
// RUN: PAGETIDE_OPTIONS=settle=1h:settle_wait=1ms %t

#include "recording.h"

#include "raw_thread.h"

#include <pthread.h>
#include <sched.h>

static char *a;
static int alive;
static int marked, wait_now, blocked, go_on;

static void set(int *word) { __atomic_store_n(word, 1, __ATOMIC_SEQ_CST); }
static int is_set(int *word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Stays between mark and access while `wait_now` is not set, like a preempted
 * thread. Then it is blocked in a system call. */
static void owes(void *unused) {
  (void)unused;
  write_byte(a + PAGE);
  require_status(pagetide_mark_written(a, 1), PAGETIDE_OK);
  set(&marked);
  while (!is_set(&wait_now))
    ;
  set(&blocked);
  while (!is_set(&go_on))
    syscall(SYS_futex, &go_on, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static int state_of(char *page) {
  const pagetide_page *p = page_of(page);
  require(p != NULL);
  return p->state;
}

static void *creates(void *unused) {
  raw_thread(owes, NULL, &alive);
  while (!is_set(&marked))
    ;
  return unused;
}

static void check(int creator_ends) {
  marked = wait_now = blocked = go_on = 0;
  if (creator_ends) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, creates, NULL) == 0);
    require(pthread_join(thread, NULL) == 0);
  } else {
    creates(NULL);
  }
  write_byte(a + 2 * PAGE);
  for (int round = 0; round < 3; ++round) {
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(state_of(a), PAGETIDE_STATE_UNSTABLE);
    if (round > 0)
      require(flags_of(0, a) & PAGETIDE_CARRIED);
  }
  set(&wait_now);
  while (!is_set(&blocked))
    ;
  /* It goes to sleep at some moment, and is then settled. */
  for (int round = 0; state_of(a) != PAGETIDE_STATE_STABLE; ++round) {
    require(round < 5000);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    usleep(1000);
    if (page_of(a) == NULL)
      break; /* neither marked nor carried any more */
  }
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(page_of(a) == NULL);
  write_byte(a + 2 * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(state_of(a + 2 * PAGE), PAGETIDE_STATE_STABLE);
  set(&go_on);
  syscall(SYS_futex, &go_on, FUTEX_WAKE, 1, NULL, NULL, 0);
  wait_for_raw_thread(&alive);
}

int main(void) {
  a = arena(0, 16 * PAGE);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  check(0);
  check(1);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
