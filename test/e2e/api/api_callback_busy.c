/*===- api_callback_busy.c - What a callback may call, and what not --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 %s -o %t && %t

#include "recording.h"

static char *a;
static int calls;

static void callback(const pagetide_period *period, void *user) {
  (void)period;
  (void)user;
  pagetide_run run;
  size_t count;
  pagetide_config config = driven_config();
  ++calls;
  require_status(pagetide_start(&config), PAGETIDE_BUSY);
  require_status(pagetide_stop(), PAGETIDE_BUSY);
  require_status(pagetide_period_end(), PAGETIDE_BUSY);
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_BUSY);
  require_status(pagetide_flush(), PAGETIDE_BUSY);
  require_status(pagetide_query(a, 1), PAGETIDE_BUSY);
  require_status(pagetide_collect(a, 1, &run, 1, &count), PAGETIDE_BUSY);
  require_status(pagetide_set_period(0), PAGETIDE_OK);
  require_status(pagetide_watch(a + 8 * PAGE, PAGE), PAGETIDE_OK);
  require_status(pagetide_unwatch(a + 9 * PAGE, PAGE), PAGETIDE_OK);
  require_status(pagetide_mark_written(a + 10 * PAGE, 1), PAGETIDE_OK);
  require_status(pagetide_mark_read(a + 10 * PAGE, 1), PAGETIDE_OK);
  require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
  require_status(pagetide_leave_out_end(), PAGETIDE_OK);
  require(pagetide_status_string(PAGETIDE_BUSY) != NULL);
}

int main(void) {
  a = map_arena(0, 64 * PAGE);
  require_status(pagetide_watch(a, 16 * PAGE), PAGETIDE_OK);
  require_status(pagetide_on_period(callback, NULL), PAGETIDE_OK);
  start_driven();
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(calls, 1);
  require_status(pagetide_set_period(1000000), PAGETIDE_OK);
  while (*(volatile int *)&calls < 2) /* on the clock: it sets it to 0 again */
    usleep(1000);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_equal(calls, 3);
  /* Outside of the callback everything is as usual. */
  start_driven();
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
