/*===- cut_oracle.h - Memory that says whether it is of one instant --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * A page of the oracle holds one number, below NUMBERS, in all of its words. So
 * its checksum tells the number. The oracle knows each page's content by the
 * cuts alone: a page that is not in a cut's set has the content of the cut
 * before. At each cut the test compares the numbers with each other.
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include "recording.h"
#include "reference_hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { NUMBERS = 4096, ORACLE_PAGES = 1024, UNKNOWN = -1 };

static char *oracle_pages;
static int known_numbers[ORACLE_PAGES]; /* UNKNOWN, or as of the last cut */
static int page_was_listed[ORACLE_PAGES];
static uint32_t last_state[ORACLE_PAGES];
static struct {
  uint64_t hash;
  int number;
} number_of_hash[4 * NUMBERS];
static int cuts, no_cuts;
static _Atomic int oracle_ends;

/* What a cut that is of one instant never shows. */
#define consistent(condition)                                                  \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: the cut contradicts itself: %s\n", __FILE__,     \
              __LINE__, #condition);                                           \
      _exit(98);                                                               \
    }                                                                          \
  } while (0)

/* Pages from one of the oracle to the next. */
static size_t oracle_stride = 1;
/* One page of it may lie elsewhere. */
static int moved_page = -1;
static char *moved_to;
static char *oracle_page(int n) {
  return n == moved_page ? moved_to
                         : oracle_pages + (size_t)n * oracle_stride * PAGE;
}
static size_t number_of_page(uintptr_t address) {
  const size_t offset = address - (uintptr_t)oracle_pages;
  if (moved_page >= 0 && address == (uintptr_t)moved_to)
    return (size_t)moved_page;
  require(offset % (oracle_stride * PAGE) == 0);
  return offset / PAGE / oracle_stride;
}

/* Only the first word: a store, as a program makes it. */
static inline void put_number(int page, int number) {
  *(volatile uint64_t *)oracle_page(page) = (uint64_t)(number % NUMBERS);
}

static void add_hash(uint64_t hash, int number) {
  size_t at = hash % (4 * NUMBERS);
  while (number_of_hash[at].number)
    at = (at + 1) % (4 * NUMBERS);
  number_of_hash[at].hash = hash;
  number_of_hash[at].number = number + 1;
}

static int number_of(uint64_t hash) {
  for (size_t at = hash % (4 * NUMBERS); number_of_hash[at].number;
       at = (at + 1) % (4 * NUMBERS))
    if (number_of_hash[at].hash == hash)
      return number_of_hash[at].number - 1;
  return UNKNOWN;
}

static void make_oracle(void) {
  static char model[4096] __attribute__((aligned(8)));
  oracle_pages = arena(0, ORACLE_PAGES * oracle_stride * PAGE);
  /* A thread may write in the first period what it marked before. */
  for (int n = 0; n < ORACLE_PAGES; ++n)
    known_numbers[n] = UNKNOWN;
  for (int n = 0; n < NUMBERS; ++n) {
    *(uint64_t *)model = (uint64_t)n;
    add_hash(reference_hash(model, sizeof model), n);
  }
}

/* Takes what a period says of the pages. 1 if it ended in a cut. */
static int learn(const pagetide_period *period) {
  memset(page_was_listed, 0, sizeof page_was_listed);
  for (size_t i = 0; i < period->page_count; ++i) {
    const pagetide_page *page = &period->pages[i];
    const size_t n = number_of_page(page->address);
    require(n < ORACLE_PAGES);
    page_was_listed[n] = 1;
    last_state[n] = page->state;
    known_numbers[n] = UNKNOWN;
    if (page->state != PAGETIDE_STATE_STABLE)
      continue;
    known_numbers[n] = number_of(page->checksum);
    consistent(known_numbers[n] != UNKNOWN);
  }
#ifdef ENGINE_KEEPS_INSTANTS /* engine fork: each period ends as a cut does */
  ++cuts;
  return 1;
#endif
  require((period->cut_ns == 0) == (period->no_cut != NULL));
  if (period->cut_ns)
    ++cuts;
  else
    ++no_cuts;
  if (period->no_cut && getenv("CUT_VERBOSE"))
    fprintf(stderr, "no cut: %s\n", period->no_cut);
  return period->cut_ns != 0;
}

/* How far a is ahead of b. */
static int ahead(int a, int b) {
  const int by = (a - b + NUMBERS) % NUMBERS;
  return by > NUMBERS / 2 ? by - NUMBERS : by;
}

/* A thread writes the first page, then the second, then the last, each time the
 * next number. */
static void check_written_in_turn(int first, int second, int last) {
  const int a = known_numbers[first], b = known_numbers[second],
            c = known_numbers[last];
  if (a == UNKNOWN || b == UNKNOWN || c == UNKNOWN)
    return;
  consistent(ahead(a, b) == 0 || ahead(a, b) == 1);
  consistent(ahead(b, c) == 0 || ahead(b, c) == 1);
  consistent(ahead(a, c) <= 1);
}

/* Runs for so many cuts. A machine under load refuses some. If a rule is left
 * out, runs until that shows, a minute at most: until_seen.sh tries again. */
static void record_cuts(pagetide_callback check, uint64_t period_ns,
                        int wanted) {
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
#ifndef ENGINE_KEEPS_INSTANTS
  config.unstable = PAGETIDE_UNSTABLE_CUT;
#endif
  config.period_ns = period_ns;
  require_status(pagetide_on_period(check, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  const char *options = getenv("PAGETIDE_OPTIONS");
  const int lacks_rule = options && strstr(options, "cut_without");
  const int most_s = lacks_rule ? 60 : 300;
  if (lacks_rule)
    wanted *= 20;
  time_t began = time(NULL);
  while (*(volatile int *)&cuts < wanted && time(NULL) - began < most_s)
    usleep(1000);
  oracle_ends = 1;
  require_status(pagetide_stop(), PAGETIDE_OK);
  printf("%d cuts, %d periods without\n", cuts, no_cuts);
  require(lacks_rule || cuts >= wanted);
}

/* Spins for about so many microseconds. */
static void spin(int us) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000L +
             (now.tv_nsec - begin.tv_nsec) / 1000 <
         us);
}
