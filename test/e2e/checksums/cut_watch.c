/*===- cut_watch.c - No mark is lost while a cut watches the shadow --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: userfaultfd
// While a cut is made, the recorder looks only at parts of the shadow that were
// marked a moment ago. One thread reads each of its pages once, far apart, and
// one writes its pages. Each read is in one set. Each write is in one or two: a
// cut's set has what was written until it, and so has the next. The last
// checksum of a page is that of what it holds.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s %t
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s:idle_after=1 %t

#include "cut_oracle.h"

#include <sys/resource.h>

/* So many that their shadow is worth being watched. */
enum { PAGES = 64 * 1024, STEP = 12345, CUTS = 20 };

static char *memory;
static unsigned char times_listed[PAGES];
static uint64_t last_hash[PAGES];
static _Atomic long faults;

static size_t page_at(uintptr_t address) {
  const size_t n = (address - (uintptr_t)memory) / PAGE;
  require(n < PAGES);
  return n;
}

static void note(const pagetide_period *period, void *unused) {
  (void)unused;
  for (size_t t = 0; t < period->thread_count; ++t)
    for (size_t i = 0; i < period->threads[t].run_count; ++i) {
      const pagetide_run *run = &period->threads[t].runs[i];
      const size_t first = page_at(run->address);
      if (run->flags == PAGETIDE_CARRIED) // of the set before
        continue;
      for (size_t n = first; n < first + run->bytes / PAGE; ++n)
        ++times_listed[n];
    }
  for (size_t i = 0; i < period->page_count; ++i)
    last_hash[page_at(period->pages[i].address)] = period->pages[i].checksum;
  ++*(period->cut_ns ? &cuts : &no_cuts);
}

/* Of the pages whose number is first plus a multiple of 2, each in turn. */
static void visit(size_t first, int round) {
  struct rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  for (size_t i = 0; i < PAGES / 2; ++i) {
    char *byte = memory + ((i * STEP % (PAGES / 2)) * 2 + first) * PAGE + 2000;
    if (first == 0)
      read_byte(byte);
    else
      *(volatile char *)byte = (char)round;
    for (volatile int wait = 0; wait < 1000; ++wait) {
    }
  }
  getrusage(RUSAGE_THREAD, &after);
  faults += after.ru_minflt - before.ru_minflt;
}

static int round_number;
static void *reads(void *unused) {
  visit(0, round_number);
  return unused;
}
static void *writes(void *unused) {
  visit(1, round_number);
  return unused;
}

static void run_round(void) {
  pthread_t reader, writer;
  memset(times_listed, 0, sizeof times_listed);
  ++round_number;
  require(pthread_create(&reader, NULL, reads, NULL) == 0);
  require(pthread_create(&writer, NULL, writes, NULL) == 0);
  require(pthread_join(reader, NULL) == 0);
  require(pthread_join(writer, NULL) == 0);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (size_t n = 0; n < PAGES; n += 2)
    require_equal(times_listed[n], 1);
  for (size_t n = 1; n < PAGES; n += 2) {
    require(times_listed[n] == 1 || times_listed[n] == 2);
    char *page = memory + n * PAGE;
    require_equal(last_hash[n], reference_hash(page, PAGE));
  }
}

int main(void) {
  memory = arena(0, (size_t)PAGES * PAGE);
  memset(memory, 0, (size_t)PAGES * PAGE);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  config.period_ns = 10000000;
  require_status(pagetide_watch(memory, (size_t)PAGES * PAGE), PAGETIDE_OK);
  require_status(pagetide_on_period(note, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  while (*(volatile int *)&cuts < CUTS)
    run_round();
  require_status(pagetide_stop(), PAGETIDE_OK);
  printf("%d cuts, %d periods without, %ld faults\n", cuts, no_cuts, faults);
  require(faults >= CUTS);
  return 0;
}
