/*===- api_errors.c - What each function of the C API refuses --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 %s -o %t && %t

#include "recording.h"

static char *a;

static void not_recording(void) {
  pagetide_run run;
  size_t count;
  require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);
  require_status(pagetide_set_period(1000000), PAGETIDE_NOT_RECORDING);
  require_status(pagetide_period_end(), PAGETIDE_NOT_RECORDING);
  require_status(pagetide_query(a, 1), PAGETIDE_NOT_RECORDING);
  require_status(pagetide_collect(a, 1, &run, 1, &count),
                 PAGETIDE_NOT_RECORDING);
  require_status(pagetide_flush(), PAGETIDE_NOT_RECORDING);
  /* These do not need it. */
  require_status(pagetide_watch(a, PAGE), PAGETIDE_OK);
  require_status(pagetide_unwatch(a, PAGE), PAGETIDE_OK);
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  require_status(pagetide_mark_read(a, 1), PAGETIDE_OK);
  require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
  require_status(pagetide_leave_out_end(), PAGETIDE_OK);
}

static void ranges(void) {
  pagetide_run run;
  size_t count;
  const void *last = (void *)UINTPTR_MAX;
  /* Empty, or wrapping. */
  require_status(pagetide_watch(a, 0), PAGETIDE_INVALID);
  require_status(pagetide_watch(last, 2), PAGETIDE_INVALID);
  require_status(pagetide_unwatch(a, 0), PAGETIDE_INVALID);
  require_status(pagetide_unwatch(last, 2), PAGETIDE_INVALID);
  require_status(pagetide_query(a, 0), PAGETIDE_INVALID);
  require_status(pagetide_query(last, 2), PAGETIDE_INVALID);
  require_status(pagetide_query(a, SIZE_MAX), PAGETIDE_INVALID);
  require_status(pagetide_collect(a, 0, &run, 1, &count), PAGETIDE_INVALID);
  require_status(pagetide_collect(last, 2, &run, 1, &count), PAGETIDE_INVALID);
  require_status(pagetide_collect(a, 1, &run, 1, NULL), PAGETIDE_INVALID);
  require_status(pagetide_collect(a, 1, NULL, 1, &count), PAGETIDE_INVALID);
  /* Beyond 47 bits. */
  require_status(pagetide_mark_read((void *)(UINT64_C(1) << 47), 1),
                 PAGETIDE_INVALID);
  require_status(pagetide_mark_written((void *)((UINT64_C(1) << 47) - 1), 2),
                 PAGETIDE_INVALID);
  require_status(pagetide_mark_written(last, 2), PAGETIDE_INVALID);
  require_status(pagetide_mark_read(a, SIZE_MAX), PAGETIDE_INVALID);
  /* The last byte, and no byte at all. */
  require_status(pagetide_mark_read((void *)((UINT64_C(1) << 47) - 1), 1),
                 PAGETIDE_OK);
  require_status(pagetide_mark_written(a, 0), PAGETIDE_OK);
  require_equal(pagetide_query(a, 1), 0);
}

static void periods(void) {
  require_status(pagetide_set_period(1), PAGETIDE_INVALID);
  require_status(pagetide_set_period(999999), PAGETIDE_INVALID);
  require_status(pagetide_set_period(1000000), PAGETIDE_OK);
  require_status(pagetide_set_period(UINT64_C(3600000000000) * 10),
                 PAGETIDE_OK);
  require_status(pagetide_set_period(0), PAGETIDE_OK);
}

static void left_out(void) {
  require_status(pagetide_leave_out_end(), PAGETIDE_INVALID);
  require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
  require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
  require_status(pagetide_leave_out_end(), PAGETIDE_OK);
  require_status(pagetide_leave_out_end(), PAGETIDE_OK);
  require_status(pagetide_leave_out_end(), PAGETIDE_INVALID);
}

/* Full is full, and says so; what was there stays. */
static void too_many_regions(void) {
  enum { MOST = 65536 };
  char *base = (char *)(ARENA_BASE + 16 * GIB);
  int status = PAGETIDE_OK, i = 0;
  for (; i < MOST; ++i) {
    status = pagetide_watch(base + (size_t)i * 2 * PAGE, PAGE);
    require_status(status, PAGETIDE_OK);
  }
  require_status(pagetide_watch(base + (size_t)MOST * 2 * PAGE, PAGE),
                 PAGETIDE_NO_MEMORY);
  /* One taken away makes room. */
  require_status(pagetide_unwatch(base, PAGE), PAGETIDE_OK);
  require_status(pagetide_watch(base + (size_t)MOST * 2 * PAGE, PAGE),
                 PAGETIDE_OK);
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
  require_status(pagetide_watch(base, PAGE), PAGETIDE_OK);
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
}

int main(void) {
  a = map_arena(0, 64 * PAGE);
  errno = 12345;
  not_recording();
  start_driven();
  ranges();
  periods();
  left_out();
  too_many_regions();
  require_status(pagetide_stop(), PAGETIDE_OK);
  not_recording();
  require_equal(errno, 12345);
  return 0;
}
