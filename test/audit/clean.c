/*===- clean.c - A program whose writes are all marked ---------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Nothing is listed of its memory, and the exit status says so. The command's
// own status and output are its own.
// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t && touch known
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O2 -I %inputs %s plain.o -o program
// RUN: %pagetide audit -p 0 --json -r report -- ./program >out 2>err
// RUN: grep -qx 'output' out
// RUN: grep -qx 'pagetide: ./program exited with status 3' err
// RUN: %check_audit report known
// RUN: %python -c 'import json; p = json.load(open("report"))["processes"][0]; \
// RUN:   assert p["marked_only"] == 0 and p["program"]["written"] >= 20 * 300'
// Timed periods end anywhere; marks of neighbouring periods count.
// RUN: %pagetide audit -p 1ms --json -r report -- ./program >out 2>err
// RUN: %check_audit report known
// RUN: %pagetide audit -p 1ms -- ./program >out 2>err && FileCheck %s <out
// CHECK: Verdict: every page of the program's memory that was written
// Stacks and the C library's data are another matter.
// RUN: (%pagetide audit --strict -p 0 -r text -- ./program >out 2>err; \
// RUN:   test $? = 1)

#include "audited.h"

static char data[100 * PAGE];

int main(void) {
  char *anonymous = pages_apart(300);
  int zeros = open("/dev/zero", O_RDONLY);
  for (int period = 0; period < 20; ++period) {
    for (int i = 0; i < 300; ++i)
      *(volatile char *)(anonymous + i * PAGE + period) = (char)i;
    // Through libc, which marks what the kernel writes.
    REQUIRE(read(zeros, data, sizeof(data)) == sizeof(data));
    memset(data + period * PAGE, period, 3 * PAGE);
    (void)pagetide_period_end();
  }
  REQUIRE(write(1, "output\n", 7) == 7);
  return 3;
}
