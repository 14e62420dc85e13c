/*===- shared_shadow_unsettled.c - A thread that shares a shadow owes a write ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A thread without a shadow of its own has marked a page and not yet written it,
// like one that lost its processor in between. The page stays unstable, and in
// every set, until the thread is settled: not only in the next set. Pages of
// threads that share a shadow and sleep are stable.
// RUN: %build_c -O1 %s -o %t
// RUN: env PAGETIDE_OPTIONS=settle=1h:settle_wait=500ms:verbosity=0 %t
//
// A cut does not need them to settle: what such a thread marked is read while it
// stands, and is in the next set.
// RUN: env PAGETIDE_OPTIONS=settle=1h:settle_wait=1ms:cut_stop=2s:verbosity=0 \
// RUN:   %t cut
//
// By threads: as many as have a shadow of their own are listed by their numbers,
// with what is theirs. The others are listed under 0.
// RUN: env PAGETIDE_OPTIONS=verbosity=0 %t by-thread

#include "recording.h"

#include <linux/futex.h>
#include <pthread.h>

/* Precision near has room for 96 shadows, of which some are shared. */
enum { THREADS = 300, OWN_AT_LEAST = 64, OWN_AT_MOST = 96 };

static char *a;
static pthread_t threads[THREADS];
static int tids[THREADS];
static pthread_barrier_t here;
static int go_on;
static int owes_now, blocked, paid;

static void set(int *word) { __atomic_store_n(word, 1, __ATOMIC_SEQ_CST); }
static int is_set(int *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static void sleep_until_set(int *word) {
  while (!is_set(word))
    syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}
static void wake(int *word) {
  set(word);
  syscall(SYS_futex, word, FUTEX_WAKE, THREADS + 1, NULL, NULL, 0);
}

static char *page_number(size_t t) { return a + t * PAGE; }

static void *sleeps(void *number) {
  const size_t t = (size_t)number;
  tids[t] = thread_id();
  write_byte(page_number(t));
  pthread_barrier_wait(&here);
  sleep_until_set(&go_on);
  return NULL;
}

/* The last thread that is made, so it shares. */
static void *owes(void *number) {
  require_status(pagetide_mark_written(page_number((size_t)number), 1),
                 PAGETIDE_OK);
  set(&owes_now);
  while (!is_set(&paid))
    ;
  set(&blocked);
  sleep_until_set(&go_on);
  return NULL;
}

static int state_of(char *page) {
  const pagetide_page *p = page_of(page);
  return p == NULL ? -1 : p->state;
}

static void make_sleepers(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * KIB);
  pthread_barrier_init(&here, NULL, THREADS + 1);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], &attributes, sleeps, (void *)t) == 0);
  pthread_barrier_wait(&here);
  for (size_t t = 0; t < THREADS; ++t)
    wait_until_blocked(tids[t]);
}

static void end_sleepers(void) {
  wake(&go_on);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
}

static void check_settling(void) {
  pthread_t debtor;
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_start(&config), PAGETIDE_OK);
  make_sleepers();
  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (size_t t = 0; t < THREADS; ++t) {
    require(flags_of(0, page_number(t)) == PAGETIDE_WRITTEN);
    require_equal(state_of(page_number(t)), PAGETIDE_STATE_STABLE);
  }

  require(pthread_create(&debtor, NULL, owes, (void *)(size_t)THREADS) == 0);
  while (!is_set(&owes_now))
    ;
  for (int round = 0; round < 5; ++round) {
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(state_of(page_number(THREADS)), PAGETIDE_STATE_UNSTABLE);
    require(flags_of(0, page_number(THREADS)) ==
            (round ? PAGETIDE_CARRIED : PAGETIDE_WRITTEN));
  }
  set(&paid);
  while (!is_set(&blocked))
    ;
  for (int round = 0; page_of(page_number(THREADS)); ++round) {
    require(round < 5000);
    usleep(1000);
    require_status(pagetide_period_end(), PAGETIDE_OK);
  }
  end_sleepers();
  require(pthread_join(debtor, NULL) == 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

static void check_cuts(void) {
  pthread_t debtor;
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  require_status(pagetide_start(&config), PAGETIDE_OK);
  make_sleepers();
  require(pthread_create(&debtor, NULL, owes, (void *)(size_t)THREADS) == 0);
  while (!is_set(&owes_now))
    ;
  int cuts = 0;
  for (int round = 0; cuts < 3; ++round) {
    require(round < 100);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require(flags_of(0, page_number(THREADS)) ==
            (round ? PAGETIDE_CARRIED : PAGETIDE_WRITTEN));
    if (!seen.period.cut_ns)
      continue;
    ++cuts;
    require_equal(state_of(page_number(THREADS)), PAGETIDE_STATE_STABLE);
  }
  set(&paid);
  end_sleepers();
  require(pthread_join(debtor, NULL) == 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

static void check_by_thread(void) {
  pagetide_config config = driven_config();
  config.per_thread = 1;
  require_status(pagetide_start(&config), PAGETIDE_OK);
  make_sleepers();
  require_status(pagetide_period_end(), PAGETIDE_OK);
  size_t own = 0;
  for (size_t t = 0; t < THREADS; ++t) {
    const int is_own =
        flags_of((uint32_t)tids[t], page_number(t)) == PAGETIDE_WRITTEN;
    own += (size_t)is_own;
    require(is_own || flags_of(0, page_number(t)) == PAGETIDE_WRITTEN);
    require(!is_own || flags_of(0, page_number(t)) == 0);
  }
  require(own >= OWN_AT_LEAST && own <= OWN_AT_MOST);
  require(seen_granules() == THREADS);
  end_sleepers();
  require_status(pagetide_stop(), PAGETIDE_OK);
}

int main(int argc, char **argv) {
  alarm(300);
  a = arena(0, (THREADS + 1) * PAGE);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  if (argc == 1)
    check_settling();
  else if (strcmp(argv[1], "cut") == 0)
    check_cuts();
  else
    check_by_thread();
  return 0;
}
