/*===- api_collect.c - Taking and clearing one region's set ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O2 %s -o %t && %t
// Fine granules, reported in pages.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s -o %t.fine
// RUN: PAGETIDE_OPTIONS=granularity=page %t.fine

#include "recording.h"

#include <pthread.h>

static char *a;

static void *write_page(void *page) {
  write_byte((char *)page);
  return NULL;
}

static void check(const char *from, size_t bytes, const pagetide_run *want,
                  size_t wanted) {
  pagetide_run runs[16];
  size_t count = 99;
  require_status(pagetide_collect(from, bytes, runs, 16, &count), PAGETIDE_OK);
  require_equal(count, wanted);
  for (size_t i = 0; i < wanted; ++i) {
    require_equal(runs[i].address, want[i].address);
    require_equal(runs[i].bytes, want[i].bytes);
    require_equal(runs[i].flags, want[i].flags);
  }
}

static pagetide_run run(size_t page, size_t pages, uint32_t flags) {
  pagetide_run r = {(uintptr_t)a + page * PAGE, pages * PAGE, flags};
  return r;
}

int main(void) {
  a = arena(0, 256 * PAGE);
  start_driven();
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  check(a, 256 * PAGE, NULL, 0);

  write_byte(a + 3 * PAGE);
  write_byte(a + 4 * PAGE);
  read_byte(a + 5 * PAGE);
  write_byte(a + 6 * PAGE);
  read_byte(a + 6 * PAGE);
  write_byte(a + 100 * PAGE);
  pagetide_run first[] = {run(3, 2, PAGETIDE_WRITTEN), run(5, 1, PAGETIDE_READ),
                          run(6, 1, PAGETIDE_READ | PAGETIDE_WRITTEN)};
  /* Only what overlaps the range, and that by whole granules. */
  check(a + PAGE, 5 * PAGE + 1, first, 3);
  /* Cleared there, and there only. */
  check(a, 50 * PAGE, NULL, 0);
  require_equal(pagetide_query(a, 50 * PAGE), 0);
  require_equal(pagetide_query(a + 100 * PAGE, 1), PAGETIDE_WRITTEN);
  /* Again after another write. */
  write_byte(a + 4 * PAGE);
  pagetide_run second[] = {run(4, 1, PAGETIDE_WRITTEN)};
  check(a, 50 * PAGE, second, 1);

  /* Too little room: nothing is cleared, and the call says how many are needed. */
  for (size_t page = 10; page < 20; page += 2)
    write_byte(a + page * PAGE);
  pagetide_run small[2];
  size_t count = 0;
  require_status(pagetide_collect(a, 50 * PAGE, small, 2, &count), PAGETIDE_OK);
  require_equal(count, 5);
  count = 0;
  require_status(pagetide_collect(a, 50 * PAGE, NULL, 0, &count), PAGETIDE_OK);
  require_equal(count, 5);
  pagetide_run third[] = {
      run(10, 1, PAGETIDE_WRITTEN), run(12, 1, PAGETIDE_WRITTEN),
      run(14, 1, PAGETIDE_WRITTEN), run(16, 1, PAGETIDE_WRITTEN),
      run(18, 1, PAGETIDE_WRITTEN)};
  check(a, 50 * PAGE, third, 5);
  check(a, 50 * PAGE, NULL, 0);

  /* All threads together, those that have ended too. */
  pthread_t thread;
  require(pthread_create(&thread, NULL, write_page, a + 30 * PAGE) == 0);
  pthread_join(thread, NULL);
  write_byte(a + 31 * PAGE);
  pagetide_run fourth[] = {run(30, 2, PAGETIDE_WRITTEN)};
  check(a, 50 * PAGE, fourth, 1);

  /* The running period's set keeps all of it. */
  require_status(pagetide_period_end(), PAGETIDE_OK);
  static const size_t pages[] = {3, 4, 5, 6, 10, 12, 14, 16, 18, 30, 31, 100};
  require_equal(seen_granules(), sizeof pages / sizeof *pages);
  for (size_t i = 0; i < sizeof pages / sizeof *pages; ++i)
    require(flags_of(0, a + pages[i] * PAGE) != 0);
  require_equal(flags_of(0, a + 6 * PAGE), PAGETIDE_READ | PAGETIDE_WRITTEN);

  /* Since the last period ended: what that one had is not taken again. */
  check(a, 256 * PAGE, NULL, 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
