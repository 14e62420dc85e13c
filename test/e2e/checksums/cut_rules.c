/*===- cut_rules.c - Each rule of a cut is needed --------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t

// A thread is between marks and stores for longer than pages are read ahead, and
// has not settled. Its stores leave no new mark.
// RUN: PAGETIDE_OPTIONS=settle=10s:settle_wait=10ms:cut_stop=2s %t delayed
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=10s:settle_wait=10ms:cut_stop=2s:cut_without=unsettled \
// RUN:   %t delayed

// The same in pages of fine granules.
// RUN: %build_c -O1 -Xclang -mllvm -Xclang -pagetide-granule=6 -c %s -o %t.fine.o
// RUN: %build_c %t.fine.o %t.reference.o -o %t.fine
// RUN: PAGETIDE_OPTIONS=settle=10s:settle_wait=10ms:cut_stop=2s:granularity=page %t.fine delayed
// RUN: PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:granularity=page %t.fine discarded

// Memory is given back to the kernel, which leaves no mark.
// RUN: PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t discarded
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t discarded

// Memory is mapped anew.
// RUN: PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t mapped
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t mapped

// A thread that sleeps in a system call is not stopped. It wakes while pages
// are read.
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s %t woken
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s:cut_without=repeat \
// RUN:   %t woken

// It wakes while marks are collected, and sleeps again. Some of its marks are
// left behind, on pages that were read before the stop.
// RUN: PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t behind
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=woken \
// RUN:   %t behind

// The kernel may write for a call under way, without a mark.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t in-flight
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=cut_stop=2s:cut_without=in-flight \
// RUN:   %t in-flight

// A thread that sleeps in recv writes nothing until it runs.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t asleep
// RUN: %t received

// Other processes may write into shared memory.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t shared


#include "cut_oracle.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { FIRST = 0, SECOND = 500, LAST = 1000, BULK = 10, BULK_PAGES = 480 };

static const char *test;
static unsigned seed;

static int random_below(int n) { return (int)(rand_r(&seed) % (unsigned)n); }

/* A store without a mark: what it writes was marked before. */
static void put_without_mark(int page, int number) {
  unmarked_store(oracle_page(page), (uint64_t)(number % NUMBERS));
}

static void *delays(void *unused) {
  for (int n = 1; !oracle_ends; ++n) {
    pagetide_mark_written(oracle_page(FIRST), 8);
    pagetide_mark_written(oracle_page(SECOND), 8);
    spin(random_below(40000));
    put_without_mark(FIRST, n);
    put_without_mark(SECOND, n);
    put_number(LAST, n);
    spin(random_below(40000));
  }
  return unused;
}

static void *discards(void *unused) {
  const int maps = !strcmp(test, "mapped");
  for (int n = 1; !oracle_ends; ++n) {
    put_number(FIRST, n);
    spin(random_below(8000));
    if (maps)
      require(mmap(oracle_page(FIRST), PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
              oracle_page(FIRST));
    else
      require(madvise(oracle_page(FIRST), PAGE, MADV_DONTNEED) == 0);
    put_number(LAST, n);
    spin(random_below(3000));
  }
  return unused;
}

/* When the last page holds n the first one was discarded. What is discarded is
 * in no set for that, so only a cut that has the page tells its content. */
static void check_discarded(void) {
  const int a = known_numbers[FIRST], c = known_numbers[LAST];
  if (!page_was_listed[FIRST] || a == UNKNOWN || c == UNKNOWN)
    return;
  consistent(a == 0 || a == (c + 1) % NUMBERS);
}

static void *wakes(void *unused) {
  for (int n = 1; !oracle_ends; ++n) {
    usleep(20);
    put_number(FIRST, n);
    put_number(SECOND, n);
    put_number(LAST, n);
  }
  return unused;
}

/* Long enough for its pages to be read ahead. */
static void *wakes_seldom(void *unused) {
  unsigned own_seed = (unsigned)time(NULL);
  for (int n = 1; !oracle_ends; ++n) {
    usleep(2000 + (unsigned)rand_r(&own_seed) % 20000);
    put_number(FIRST, n);
    put_number(SECOND, n);
    put_number(LAST, n);
  }
  return unused;
}

static void *keeps_pages_dirty(void *unused) {
  for (int n = 1; !oracle_ends; ++n)
    for (int i = 0; i < BULK_PAGES; ++i)
      put_number(BULK + i, n);
  return unused;
}

static int to_reader[2], reader;
static void *reads(void *unused) {
  reader = (int)syscall(SYS_gettid);
  while (read(to_reader[0], oracle_page(FIRST), 8) == 8) {
  }
  return unused;
}

/* From another process, which no cut stops. */
static int to_receiver[2];
static int stable_while_received;
static void send_numbers(void) {
  for (uint64_t n = 1;; ++n) {
    n %= NUMBERS;
    if (send(to_receiver[1], &n, sizeof n, MSG_NOSIGNAL) != sizeof n)
      _exit(0);
    spin(random_below(400));
  }
}

static void *receives(void *unused) {
  reader = (int)syscall(SYS_gettid);
  while (recv(to_receiver[0], oracle_page(FIRST), 8, 0) == 8)
    put_number(LAST, *(volatile int *)oracle_page(FIRST));
  return unused;
}

static void check_received(void) {
  if (page_was_listed[FIRST])
    stable_while_received += last_state[FIRST] == PAGETIDE_STATE_STABLE;
  const int a = known_numbers[FIRST], c = known_numbers[LAST];
  if (a == UNKNOWN || c == UNKNOWN)
    return;
  consistent(ahead(a, c) == 0 || ahead(a, c) == 1);
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  if (!learn(period))
    return;
  if (!strcmp(test, "delayed") || !strcmp(test, "woken") ||
      !strcmp(test, "behind"))
    check_written_in_turn(FIRST, SECOND, LAST);
  else if (!strcmp(test, "discarded") || !strcmp(test, "mapped"))
    check_discarded();
  else if (!strcmp(test, "received"))
    check_received();
}

static void start(pthread_t *thread, void *(*run)(void *)) {
  require(pthread_create(thread, NULL, run, NULL) == 0);
}

static void wait_until_reading(void) {
  while (!*(volatile int *)&reader)
    usleep(100);
  wait_until_blocked(reader);
}

/* Two pages are written. A call under way has the first for its buffer, or
 * another process may write it. */
static void expect_first_is(uint32_t state) {
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  require_status(pagetide_on_period(check, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (int i = 0; i < 20; ++i) {
    put_number(FIRST, i);
    put_number(LAST, i);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require(page_was_listed[FIRST]);
    require(page_was_listed[LAST]);
    consistent(last_state[FIRST] == state);
    if (state == PAGETIDE_STATE_STABLE)
      consistent(known_numbers[FIRST] == i);
    require(last_state[LAST] == PAGETIDE_STATE_STABLE);
    consistent(known_numbers[LAST] == i);
  }
  require(cuts > 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

int main(int argc, char **argv) {
  require(argc == 2);
  test = argv[1];
  seed = (unsigned)(time(NULL) ^ getpid());
  const int behind = !strcmp(test, "behind");
  if (behind)
    oracle_stride = 512; /* each page has its marks in a page of its own */
  make_oracle();
  pthread_t thread, other;
  if (!strcmp(test, "in-flight")) {
    require(pipe(to_reader) == 0);
    start(&thread, reads);
    wait_until_reading();
    expect_first_is(PAGETIDE_STATE_UNSTABLE);
    close(to_reader[1]);
    pthread_join(thread, NULL);
    return 0;
  }
  const int asleep = !strcmp(test, "asleep");
  if (asleep || !strcmp(test, "received")) {
    require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, to_receiver) == 0);
    pid_t sender = 0;
    if (!asleep) {
      require((sender = fork()) >= 0);
      if (!sender)
        send_numbers();
    }
    start(&thread, receives);
    wait_until_reading();
    if (asleep) {
      expect_first_is(PAGETIDE_STATE_STABLE);
    } else {
      record_cuts(check, 5 * 1000 * 1000, 150);
      printf("%d with what was received\n", stable_while_received);
      require(stable_while_received > cuts / 10);
      require(kill(sender, SIGKILL) == 0);
    }
    require(shutdown(to_receiver[0], SHUT_RDWR) == 0);
    pthread_join(thread, NULL);
    return 0;
  }
  if (!strcmp(test, "shared")) {
    require(mmap(oracle_page(FIRST), PAGE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            oracle_page(FIRST));
    expect_first_is(PAGETIDE_STATE_UNSTABLE);
    return 0;
  }
  if (behind || !strcmp(test, "woken")) {
    start(&thread, behind ? wakes_seldom : wakes);
    start(&other, keeps_pages_dirty);
    record_cuts(check, 5 * 1000 * 1000, 150);
    pthread_join(other, NULL);
  } else {
    const int delayed = !strcmp(test, "delayed");
    start(&thread, delayed ? delays : discards);
    record_cuts(check, 5 * 1000 * 1000, delayed ? 60 : 150);
  }
  pthread_join(thread, NULL);
  return 0;
}
