/*===- killed.c - A killed program's last period was not looked at ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 -o kept --json -r report -- ./program 2>err; test $? = 1)
// RUN: grep -qx 'pagetide: ./program was killed by SIGKILL' err
// RUN: %check_audit report known
// RUN: (%pagetide audit --from kept >text; test $? = 1) && FileCheck %s < text
// CHECK: 1 period,
// CHECK-NEXT: 1 further period was not compared: the trace does not say what the kernel saw

#include "audited.h"

#include <signal.h>

int main(void) {
  char *p = pages_apart(4);
  plain_write(p);
  end_period();
  known("anonymous", p, 1);
  plain_write(p + PAGE);
  REQUIRE(pagetide_flush() == PAGETIDE_OK);
  raise(SIGKILL);
  return 0;
}
