/*===- mappings_change.c - Mappings that merge while they are listed -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The kernel hands out /proc/self/maps in pieces. Where two neighbours become
// one in between, its next line begins before the end of the last.
// RUN: rm -rf %t && mkdir %t && cd %t && %build_c -O1 %s -o program
// RUN: PAGETIDE_OPTIONS="trace_path='trace':period=1ms:mappings=0" ./program
// RUN: %pagetide info trace | FileCheck %s
// CHECK: complete

#include "known_sets.h"

#include <pthread.h>
#include <time.h>

enum { PIECES = 1500 };
static volatile int over;

/* Splits a mapping of many pages into single ones, and makes it one again. */
static void *split_and_merge(void *area) {
  char *a = area;
  while (!over) {
    for (int i = 0; i < PIECES; i += 2)
      require(mprotect(a + i * PAGE, PAGE, PROT_READ) == 0);
    require(mprotect(a, PIECES * PAGE, PROT_READ | PROT_WRITE) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    require(pthread_create(&threads[i], NULL, split_and_merge,
                           map_arena((unsigned)i, PIECES * PAGE)) == 0);
  /* A count of mappings that were seen to change, not a time. */
  for (int i = 0; i < 300; ++i) {
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
  }
  over = 1;
  for (int i = 0; i < 2; ++i)
    require(pthread_join(threads[i], NULL) == 0);
  return 0;
}
