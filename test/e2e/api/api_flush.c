/*===- api_flush.c - What was flushed is in the file -----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The program dies at once after a flush, with nobody to harvest: its trace has
// every period that had ended, and says that it stops short.
// RUN: rm -rf %t && mkdir %t && cd %t && %build_c -O1 %s -o program
// RUN: PAGETIDE_OPTIONS="trace_path='trace':period=0" not --crash ./program
// RUN: not %pagetide info trace >info
// RUN: grep -q '300 whole, the last is period 299' info
// RUN: %pagetide export --format csv trace >rows 2>warning \
// RUN:   || test $? = 1 || test $? = 2
// RUN: test $(grep -c ,0x10000 rows) = 300
// RUN: grep '^299,.*,0x10000012b000,0,1,,none,$' rows

#include "recording.h"

#include <signal.h>

int main(void) {
  char *a = arena(0, 1024 * PAGE);
  for (int i = 0; i < 300; ++i) {
    write_byte(a + i * PAGE);
    require_status(pagetide_period_end(), PAGETIDE_OK);
  }
  require_status(pagetide_flush(), PAGETIDE_OK);
  raise(SIGKILL);
  return 0;
}
