/*===- functions_not_seen.c - Imports whose writes have no marks -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 -DUNSEEN %s -o program
// RUN: (%pagetide audit -o kept -- ./program >text 2>err; test $? -le 1)
// RUN: tr -s '\n ' ' ' <text >line && FileCheck %s <line
// CHECK: Functions of libc that instrumented files import
// CHECK-SAME: setvbuf: the memory becomes the buffer of a stream
// CHECK-NOT: free:
// RUN: (%pagetide audit --from kept --json >json; test $? -le 1)
// RUN: %python -c 'import json; p = json.load(open("json"))["processes"][0]; \
// RUN:   names = [f["function"] for m in p["modules"] if m["executable"] \
// RUN:            for f in m["not_seen"]]; \
// RUN:   assert "setvbuf" in names and "free" not in names, names'
// RUN: %build_c -O1 %s -o clean
// RUN: (%pagetide audit -- ./clean >text 2>err; test $? -le 1)
// RUN: grep -q Verdict text && not grep -q 'Functions of libc' text

#include <stdio.h>
#include <stdlib.h>

static char room[BUFSIZ];

int main(void) {
#ifdef UNSEEN
  setvbuf(stdout, room, _IOFBF, sizeof room);
#endif
  free(malloc(sizeof room));
  return puts("output") < 0;
}
