/*===- api_query.c - Was a range read or written since the last period -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O2 %s -o %t.rw && %t.rw rw
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-layout=access %s \
// RUN:   -o %t.access && %t.access access
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-layout=write %s \
// RUN:   -o %t.write && %t.write write
// Fine granules, reported in pages.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s -o %t.fine
// RUN: PAGETIDE_OPTIONS=granularity=page %t.fine rw

#include "recording.h"

#include <pthread.h>

static char *a;

static void *write_elsewhere(void *page) {
  write_byte((char *)page);
  return NULL;
}

int main(int argc, char **argv) {
  require(argc == 2);
  int read = PAGETIDE_READ, written = PAGETIDE_WRITTEN;
  if (strcmp(argv[1], "access") == 0)
    read = written = PAGETIDE_ACCESSED;
  if (strcmp(argv[1], "write") == 0)
    read = 0;

  a = map_arena(0, 64 * MIB);
  start_driven();
  require_equal(pagetide_query(a, 64 * MIB), 0);
  require_equal(read_byte(a + 5 * PAGE), 0);
  require_equal(pagetide_query(a, 64 * MIB), read);
  write_byte(a + 7 * PAGE + 4095);
  require_equal(pagetide_query(a, 64 * MIB), read | written);
  /* By granules that overlap the range. */
  require_equal(pagetide_query(a + 5 * PAGE, 1), read);
  require_equal(pagetide_query(a + 6 * PAGE - 1, 1), read);
  require_equal(pagetide_query(a + 6 * PAGE, PAGE), 0);
  require_equal(pagetide_query(a + 6 * PAGE, PAGE + 1), written);
  require_equal(pagetide_query(a + 7 * PAGE, 1), written);
  require_equal(pagetide_query(a + 8 * PAGE, MIB), 0);
  require_equal(pagetide_query(a + 6 * PAGE - 1, 2 * PAGE), read | written);
  /* Asking clears nothing. */
  require_equal(pagetide_query(a, 64 * MIB), read | written);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(pagetide_query(a, 64 * MIB), 0);

  /* What the process did: any thread, dead ones too. */
  pthread_t thread;
  require(pthread_create(&thread, NULL, write_elsewhere, a + 30 * MIB) == 0);
  pthread_join(thread, NULL);
  require_equal(pagetide_query(a + 30 * MIB, 1), written);
  /* Marks by hand. */
  require_status(pagetide_mark_read(a + 31 * MIB, 2 * PAGE), PAGETIDE_OK);
  require_equal(pagetide_query(a + 31 * MIB + PAGE, 1), read);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(pagetide_query(a, 64 * MIB), 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_status(pagetide_query(a, 1), PAGETIDE_NOT_RECORDING);
  return 0;
}
