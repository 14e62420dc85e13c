/*===- api.c - The C API in a program without instrumented code ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: uffd
// RUN: %plain_c -O1 %s -o %t && %with_uffd %t
// Those of the library's own tests that are only about writes.
// RUN: %plain_c -O2 %e2e/api/api_watch.c -o %t.watch && %with_uffd %t.watch
// RUN: %plain_c -O1 -DNOBODY_UNSETTLED %e2e/checksums/checksums_unstable.c \
// RUN:   %support/reference_hash.c -o %t.unstable && %with_uffd %t.unstable
// RUN: %with_fork %t && %with_fork %t.watch
// Without an engine the program is not recorded, though the library is there.
// RUN: not %t

#include "recording.h"

static char *a;

static void check(size_t page, size_t pages, const pagetide_run *want,
                  size_t wanted) {
  pagetide_run runs[16];
  size_t count = 99;
  require_status(
      pagetide_collect(a + page * PAGE, pages * PAGE, runs, 16, &count),
      PAGETIDE_OK);
  require_equal(count, wanted);
  for (size_t i = 0; i < wanted; ++i) {
    require_equal(runs[i].address, want[i].address);
    require_equal(runs[i].bytes, want[i].bytes);
    require_equal(runs[i].flags, want[i].flags);
  }
}

static pagetide_run run(size_t page, size_t pages) {
  pagetide_run r = {(uintptr_t)a + page * PAGE, pages * PAGE, PAGETIDE_WRITTEN};
  return r;
}

int main(void) {
  a = arena(0, 256 * PAGE);
  pagetide_config config = driven_config();
  config.per_thread = 1;
  require_status(pagetide_start(&config), PAGETIDE_UNSUPPORTED);
  start_driven();
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  check(0, 256, NULL, 0);

  write_byte(a + 3 * PAGE);
  write_byte(a + 4 * PAGE);
  read_byte(a + 5 * PAGE);
  write_byte(a + 9 * PAGE);
  write_byte(a + 100 * PAGE);
  require_equal(pagetide_query(a + 4 * PAGE, 1), PAGETIDE_WRITTEN);
  require_equal(pagetide_query(a + 5 * PAGE, 4 * PAGE), 0);
  pagetide_run first[] = {run(3, 2), run(9, 1)};
  check(0, 50, first, 2);
  /* Taken there, and there only. */
  check(0, 50, NULL, 0);
  require_equal(pagetide_query(a + 100 * PAGE, 1), PAGETIDE_WRITTEN);
  write_byte(a + 4 * PAGE);
  pagetide_run second[] = {run(4, 1)};
  check(0, 50, second, 1);

  /* In memory that was not there when recording began. */
  char *late = map_arena(1, 16 * PAGE);
  require_status(pagetide_watch(late, 16 * PAGE), PAGETIDE_OK);
  write_byte(late + 7 * PAGE);
  require_equal(pagetide_query(late, 16 * PAGE), PAGETIDE_WRITTEN);
  require_equal(pagetide_query(late, 7 * PAGE), 0);

  /* The period's set keeps all of it. */
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen_granules(), 5);
  require_equal(flags_of(0, a + 3 * PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + 4 * PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + 9 * PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + 100 * PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, late + 7 * PAGE), PAGETIDE_WRITTEN);
  check(0, 256, NULL, 0);

  /* What only marks can do. */
  require_status(pagetide_mark_written(a, 1), PAGETIDE_UNSUPPORTED);
  require_status(pagetide_leave_out_begin(), PAGETIDE_UNSUPPORTED);
  require_status(pagetide_stop(), PAGETIDE_OK);
  /* And once more. */
  start_driven();
  write_byte(a + 3 * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen_granules(), 1);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
