/*===- cut_counters.c - A cut has every page as it was at one instant ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Several threads, more than there are processors, raise counters on many pages
// in a fixed order. At an instant, no counter of a thread differs from another
// of it by more than one step, and earlier ones are ahead. Others take numbers
// in turn, under a lock, and write them into a ring. Others transfer from
// account to account, with a journal of the transfer under way.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s %t
// Threads that wait for a processor do not keep a cut from being made.
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms taskset -c 0 %t > %t.out
// RUN: awk '/cuts/ { exit !($3 < 3 * $1) }' %t.out
// The same when each page has a page of the shadow to itself, and the shadow is so
// large that the recorder looks only at what was marked a moment ago.
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s %t far-apart

// The same in pages of fine granules.
// RUN: %build_c -O1 -Xclang -mllvm -Xclang -pagetide-granule=6 -c %s -o %t.fine.o
// RUN: %build_c %t.fine.o %t.reference.o -o %t.fine
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s:granularity=page %t.fine

// What is written between the reading ahead and the instant must be read again.
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s:cut_without=marked %t

#include "cut_oracle.h"

#include <sched.h>

enum {
  WRITERS = 4,
  PAGES_OF_WRITER = 24,
  RING = 200, /* its first page */
  RING_PAGES = 16,
  TAKERS = 2,
  ACCOUNTS = 300, /* likewise */
  ACCOUNT_COUNT = 8,
  BALANCE = 1000,
  JOURNAL = 400,
  SLOW = 500, /* likewise */
  SLOW_PAGES = 300
};

static void *counts(void *arg) {
  const int first = (int)(intptr_t)arg * PAGES_OF_WRITER;
  const struct sched_param none = {0};
  if (first == 0)
    pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
  for (int step = 0; !oracle_ends; ++step) {
    put_number(first + step % PAGES_OF_WRITER, step / PAGES_OF_WRITER + 1);
    if (step % 64 == 0)
      sched_yield();
    for (volatile int i = 0; i < 200; ++i) {
    }
  }
  return NULL;
}

/* So many pages that there are several rounds of reading ahead, and so slowly
 * that most of them are not written between two rounds. */
static void *counts_slowly(void *unused) {
  for (int step = 0; !oracle_ends; ++step) {
    put_number(SLOW + step % SLOW_PAGES, step / SLOW_PAGES + 1);
    spin(60);
  }
  return unused;
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int next_number;

static void *takes_numbers(void *unused) {
  while (!oracle_ends) {
    pthread_mutex_lock(&turn);
    put_number(RING + next_number % RING_PAGES, next_number / RING_PAGES + 1);
    ++next_number;
    pthread_mutex_unlock(&turn);
    for (volatile int i = 0; i < 500; ++i) {
    }
  }
  return unused;
}

static void *transfers(void *unused) {
  int balance[ACCOUNT_COUNT];
  for (int i = 0; i < ACCOUNT_COUNT; ++i)
    balance[i] = BALANCE;
  unsigned seed = 1;
  while (!oracle_ends) {
    const int from = rand_r(&seed) % ACCOUNT_COUNT;
    const int to = rand_r(&seed) % ACCOUNT_COUNT;
    if (from == to || !balance[from] || balance[to] == NUMBERS - 1)
      continue;
    put_number(JOURNAL, 1 + from * ACCOUNT_COUNT + to);
    put_number(ACCOUNTS + from, --balance[from]);
    put_number(ACCOUNTS + to, ++balance[to]);
    put_number(JOURNAL, 0);
    for (volatile int i = 0; i < 300; ++i) {
    }
  }
  return unused;
}

/* Pages that are written in turn: each is as far as the first, or one behind,
 * and none is ahead of one before it. */
static void check_turns(int first, int count) {
  int seen_behind = 0;
  for (int i = 0; i < count; ++i)
    if (known_numbers[first + i] == UNKNOWN)
      return;
  for (int i = 1; i < count; ++i) {
    const int behind = ahead(known_numbers[first], known_numbers[first + i]);
    consistent(behind == 0 || behind == 1);
    consistent(behind >= seen_behind);
    seen_behind = behind;
  }
}

static void check_accounts(void) {
  int sum = 0;
  const int journal = known_numbers[JOURNAL];
  for (int i = 0; i < ACCOUNT_COUNT; ++i)
    sum += known_numbers[ACCOUNTS + i];
  for (int i = 0; i < ACCOUNT_COUNT; ++i)
    if (known_numbers[ACCOUNTS + i] == UNKNOWN || journal == UNKNOWN)
      return;
  const int missing = ACCOUNT_COUNT * BALANCE - sum;
  consistent(journal ? missing == 0 || missing == 1 : missing == 0);
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  if (!learn(period))
    return;
  for (int i = 0; i < WRITERS; ++i)
    check_turns(i * PAGES_OF_WRITER, PAGES_OF_WRITER);
  check_turns(RING, RING_PAGES);
  check_turns(SLOW, SLOW_PAGES);
  check_accounts();
  for (size_t i = 0; i < period->page_count; ++i)
    require_equal(period->pages[i].state, PAGETIDE_STATE_STABLE);
}

int main(int argc, char **unused) {
  (void)unused;
  if (argc > 1)
    oracle_stride = 256;
  make_oracle();
  for (int n = JOURNAL + 1; n < ORACLE_PAGES && argc > 1; ++n)
    put_number(n, 0);
  for (int i = 0; i < ACCOUNT_COUNT; ++i)
    put_number(ACCOUNTS + i, BALANCE);
  enum { THREADS = WRITERS + TAKERS + 2 };
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    require(pthread_create(&threads[i], NULL,
                           i < WRITERS                ? counts
                           : i < WRITERS + TAKERS     ? takes_numbers
                           : i < WRITERS + TAKERS + 1 ? transfers
                                                      : counts_slowly,
                           (void *)(intptr_t)i) == 0);
  record_cuts(check, 20 * 1000 * 1000, 60);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
