/*===- recording.h - For tests that start recording themselves -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include "known_sets.h"

/* No clock, no trace, no checksums: what a test changes is what it tests. */
static inline pagetide_config driven_config(void) {
  pagetide_config config;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  return config;
}

static inline void start_driven(void) {
  pagetide_config config = driven_config();
  require_status(pagetide_start(&config), PAGETIDE_OK);
}

/* What the callback saw last, copied: the period's own memory is gone when the
 * callback has returned. */
enum { MOST_RUNS = 4096, MOST_PAGES = 8192, MOST_THREADS = 512 };
struct seen_thread {
  uint32_t tid;
  size_t first_run, run_count;
};
static struct {
  int calls;
  int on_thread;
  void *user;
  pagetide_period period;
  size_t thread_count;
  struct seen_thread threads[MOST_THREADS];
  size_t run_count;
  pagetide_run runs[MOST_RUNS];
  pagetide_page pages[MOST_PAGES];
} seen;

static inline void see(const pagetide_period *period, void *user) {
  ++seen.calls;
  seen.on_thread = thread_id();
  seen.user = user;
  require(period->size >= sizeof *period);
  seen.period = *period;
  seen.thread_count = period->thread_count;
  seen.run_count = 0;
  require(period->thread_count <= MOST_THREADS);
  for (size_t t = 0; t < period->thread_count; ++t) {
    const pagetide_thread_set *set = &period->threads[t];
    seen.threads[t].tid = set->tid;
    seen.threads[t].first_run = seen.run_count;
    seen.threads[t].run_count = set->run_count;
    require(seen.run_count + set->run_count <= MOST_RUNS);
    for (size_t i = 0; i < set->run_count; ++i) {
      const pagetide_run *run = &set->runs[i];
      require(run->address % period->granule == 0);
      require(run->bytes % period->granule == 0 && run->bytes > 0);
      require(run->flags != 0);
      if (i > 0)
        require(set->runs[i - 1].address + set->runs[i - 1].bytes <=
                run->address);
      seen.runs[seen.run_count++] = *run;
    }
  }
  require(period->page_count <= MOST_PAGES);
  for (size_t i = 0; i < period->page_count; ++i) {
    seen.pages[i] = period->pages[i];
    if (i > 0)
      require(period->pages[i - 1].address < period->pages[i].address);
  }
}

/* The flags that the last period gave the granule of p, for one thread (or 0,
 * the process); 0 if it was not in the set. */
static inline uint32_t flags_of(uint32_t tid, const volatile void *p) {
  for (size_t t = 0; t < seen.thread_count; ++t)
    if (seen.threads[t].tid == tid)
      for (size_t i = 0; i < seen.threads[t].run_count; ++i) {
        const pagetide_run *run = &seen.runs[seen.threads[t].first_run + i];
        if ((uintptr_t)p >= run->address &&
            (uintptr_t)p < run->address + run->bytes)
          return run->flags;
      }
  return 0;
}

/* All granules of all threads, added up. */
static inline size_t seen_granules(void) {
  size_t granules = 0;
  for (size_t i = 0; i < seen.run_count; ++i)
    granules += seen.runs[i].bytes / seen.period.granule;
  return granules;
}

static inline const pagetide_page *page_of(const volatile void *p) {
  for (size_t i = 0; i < seen.period.page_count; ++i)
    if (seen.pages[i].address == (uintptr_t)p)
      return &seen.pages[i];
  return NULL;
}

/* Accesses that no optimiser merges or drops. */
static NOINLINE void write_byte(char *p) { *(volatile char *)p = 1; }
static NOINLINE char read_byte(const char *p) {
  return *(const volatile char *)p;
}
