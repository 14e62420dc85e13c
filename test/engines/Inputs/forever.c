/*===- forever.c - Writes a page, ends the period, and waits to be killed --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <signal.h>

int main(void) {
  char *a = arena(0, 16 * PAGE);
  *(volatile char *)a = 1;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  *(volatile char *)(a + PAGE) = 1;
  raise(SIGKILL);
  return 0;
}
