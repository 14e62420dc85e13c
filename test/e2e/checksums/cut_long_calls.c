/*===- cut_long_calls.c - Calls that may write anywhere are waited for -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// While realloc moves a block, nobody can tell what libc writes, and there is
// no cut. A thread that spends half of its time in such calls of milliseconds
// has cuts nevertheless: each is made between two of these calls.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t

#include "cut_oracle.h"

#include <malloc.h>
#include <stdlib.h>

enum { BLOCK = 16 << 20, WANTED_CUTS = 40 };

static void *moves_blocks(void *unused) {
  for (int n = 0; !oracle_ends; ++n) {
    /* The other block lies behind it, so that it cannot grow where it is. */
    char *const block = malloc(BLOCK), *const other = malloc(BLOCK);
    const uintptr_t before = (uintptr_t)block;
    require(block && other > block);
    char *const moved = realloc(block, BLOCK + PAGE);
    require(moved && (uintptr_t)moved != before);
    free(other);
    free(moved);
    put_number(0, n);
    spin(2000);
  }
  return unused;
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  learn(period);
}

int main(void) {
  /* libc then takes such blocks from its heap, and copies them. */
  require(mallopt(M_MMAP_THRESHOLD, 1 << 30));
  require(mallopt(M_TRIM_THRESHOLD, 1 << 30));
  require(mallopt(M_ARENA_MAX, 1));
  make_oracle();
  pthread_t mover;
  require(pthread_create(&mover, NULL, moves_blocks, NULL) == 0);
  record_cuts(check, 50 * 1000 * 1000, WANTED_CUTS);
  pthread_join(mover, NULL);
  /* On a busy machine the recorder may sleep over the next such moment. */
  require(no_cuts * 4 <= cuts);
  return 0;
}
