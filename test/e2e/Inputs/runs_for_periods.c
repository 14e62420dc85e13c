/*===- runs_for_periods.c - Until the clock has ended some periods ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <stdatomic.h>

static atomic_int periods;

static void count(const pagetide_period *period, void *user) {
  (void)user;
  require(period->start_ns < period->end_ns);
  atomic_fetch_add(&periods, 1);
}

int main(void) {
  char *a = arena(0, 16 * PAGE);
  require_status(pagetide_on_period(count, NULL), PAGETIDE_OK);
  while (atomic_load(&periods) < 10) {
    a[0] += 1;
    usleep(1000);
  }
  return 0;
}
