/*===- four_pages.c - Four functions, a page each --------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

static NOINLINE void one(char *p) { *p = 1; }
static NOINLINE void two(char *p) { *p = 2; }
static NOINLINE void three(int *p) {
  p[0] = 3;
  p[7] = 3;
}
NOINLINE void four(char *p) { *p = 4; }

int main(void) {
  char *p = arena(0, 4 * PAGE);
  one(p);
  two(p + PAGE);
  three((int *)(p + 3 * PAGE - 16)); /* the end of the third, the next's start */
  end_period();
  four(p + 3 * PAGE);
  return 0;
}
