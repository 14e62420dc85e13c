/*===- api_watch.c - What watched regions report, and how they add up ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O2 %s -o %t && %t
// Fine granules, reported in pages.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s -o %t.fine
// RUN: PAGETIDE_OPTIONS=granularity=page %t.fine

#include "recording.h"

static char *a;

static void watch(size_t page, size_t bytes) {
  require_status(pagetide_watch(a + page * PAGE, bytes), PAGETIDE_OK);
}
static void unwatch(size_t page, size_t bytes) {
  require_status(pagetide_unwatch(a + page * PAGE, bytes), PAGETIDE_OK);
}

/* Writes pages 0 to 31, and returns those that the set then has, a bit each. */
static uint32_t touched(void) {
  for (size_t page = 0; page < 32; ++page)
    write_byte(a + page * PAGE + 77);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  uint32_t bits = 0;
  for (size_t page = 0; page < 32; ++page)
    if (flags_of(0, a + page * PAGE))
      bits |= UINT32_C(1) << page;
  return bits;
}

int main(void) {
  a = map_arena(0, 64 * PAGE);
  start_driven();
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);

  /* Nothing is watched: all is reported, the stack too. */
  require_equal(touched(), 0xffffffff);
  char on_stack[64];
  write_byte(on_stack);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(flags_of(0, on_stack) & PAGETIDE_WRITTEN);

  watch(4, 2 * PAGE);
  require_equal(touched(), 0x30);
  require_equal(seen_granules(), 2);
  /* A region that only overlaps a granule reports all of it. */
  watch(8, 1);
  watch(10, PAGE + 1);
  require_equal(touched(), 0xd30);
  /* They may overlap, and what is there twice is there once. */
  watch(4, 4 * PAGE);
  watch(5, PAGE);
  require_equal(touched(), 0xdf0);
  /* Taking a part away cuts. */
  unwatch(5, PAGE);
  require_equal(touched(), 0xdd0);
  unwatch(6, 100 * PAGE);
  require_equal(touched(), 0x10);
  /* What was never watched can be taken away. */
  unwatch(20, PAGE);
  require_equal(touched(), 0x10);
  /* The last byte gone: nothing is reported. */
  unwatch(0, 64 * PAGE);
  require_equal(touched(), 0);
  require_equal(seen_granules(), 0);
  /* From the running period on: what was touched in it already, too. */
  write_byte(a + 40 * PAGE);
  watch(40, PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(flags_of(0, a + 40 * PAGE), PAGETIDE_WRITTEN);
  /* All forgotten: all is reported again. */
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
  require_equal(touched(), 0xffffffff);
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);

  /* Cut out of the middle of one, in bytes: half a page stays watched. */
  watch(0, 32 * PAGE);
  require_status(pagetide_unwatch(a + 10 * PAGE + 100, 3 * PAGE), PAGETIDE_OK);
  require_equal(touched(), ~(UINT32_C(3) << 11));

  /* Regions outlive a stop. */
  require_status(pagetide_stop(), PAGETIDE_OK);
  start_driven();
  require_equal(touched(), ~(UINT32_C(3) << 11));
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);

  /* Thousands of small ones. */
  for (size_t page = 0; page < 4000; ++page)
    require_status(pagetide_watch((char *)ARENA_BASE + GIB + page * 3 * PAGE,
                                  PAGE),
                   PAGETIDE_OK);
  char *b = map_arena(1, 4000 * 3 * PAGE);
  for (size_t page = 0; page < 4000 * 3; ++page)
    write_byte(b + page * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen_granules(), 4000);
  for (size_t page = 0; page < 4000 * 3; page += 1000)
    require_equal(flags_of(0, b + page * PAGE),
                  page % 3 == 0 ? PAGETIDE_WRITTEN : 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
