/*===- sparse.c - Touches few bytes here and there -------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <pagetide/pagetide.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { AREA = 16 << 20, PERIODS = 4, ACCESSES = 300 };

static uint32_t next_number(void) {
  static uint32_t state = 12345;
  return state = state * 1103515245 + 12345;
}

int main(void) {
  char *area = mmap((void *)0x100000000000, AREA, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (area == MAP_FAILED)
    return 1;
  int sum = 0;
  for (int period = 0; period < PERIODS; ++period) {
    for (int i = 0; i < ACCESSES; ++i) {
      /* Some places are near others, so units have several granules. */
      char *p = area + (next_number() >> 8) % (AREA >> (i % 3 * 4));
      if (i % 2)
        *p = (char)i;
      else
        sum += *p;
    }
    memset(area + period * 70000, period, 5000);
    pagetide_period_end();
  }
  printf("%d\n", sum != 1);
  return 0;
}
