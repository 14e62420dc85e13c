/*===- mprotect_many_mappings.c - More runs of pages than mappings ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Every written page that stands alone takes two mappings, and there are 65530 by
// default. Beyond that all of the arena is lifted: nothing is lost, and what is
// not certain is called possible.
// REQUIRES: default_map_count
// RUN: rm -rf %t && mkdir %t && cd %t && %plain_c -O1 %s -o program
// RUN: %pagetide record --engine mprotect -p 0 -o trace -- ./program
// RUN: %pagetide report trace | grep -q 'the kernel has no mapping left'

#include "recording.h"

enum { PAGES = 90000 };

static char *a;
static unsigned char flags[PAGES];
static int beyond;

static void look(const pagetide_period *period, void *unused) {
  (void)unused;
  memset(flags, 0, sizeof flags);
  for (size_t t = 0; t < period->thread_count; ++t)
    for (size_t i = 0; i < period->threads[t].run_count; ++i) {
      const pagetide_run *run = &period->threads[t].runs[i];
      for (uint64_t p = run->address; p < run->address + run->bytes; p += PAGE)
        if (p >= (uintptr_t)a && p < (uintptr_t)a + PAGES * PAGE)
          flags[(p - (uintptr_t)a) / PAGE] = (unsigned char)run->flags;
        else
          ++beyond;
    }
}

int main(void) {
  a = arena(0, PAGES * PAGE);
  /* All of a huge page exists, and Linux before 6.7 tells nothing else. */
  madvise(a, PAGES * PAGE, MADV_NOHUGEPAGE);
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (int i = 0; i < PAGES; i += 2)
    write_byte(a + (size_t)i * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  int certain = 0, possible = 0;
  for (int i = 0; i < PAGES; ++i) {
    if (i % 2)
      require_equal(flags[i], 0);
    else
      require(flags[i] == PAGETIDE_WRITTEN || flags[i] == PAGETIDE_MAY_WRITTEN);
    certain += flags[i] == PAGETIDE_WRITTEN;
    possible += flags[i] == PAGETIDE_MAY_WRITTEN;
  }
  require(certain > 20000 && possible > 1000);
  /* The next period has all it needs again. */
  write_byte(a + 7 * PAGE);
  write_byte(a + 80000 * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (int i = 0; i < PAGES; ++i)
    require_equal(flags[i], i == 7 || i == 80000 ? PAGETIDE_WRITTEN : 0);
  require_equal(beyond, 0);
  return 0;
}
