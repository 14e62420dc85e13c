/*===- fork.c - Parent and child are audited each for itself ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known
// RUN: (%pagetide audit -p 0 -r report -- ./program; test $? = 1)
// RUN: FileCheck %s < report
// CHECK: Audit of 2 processes, summed up

#include "audited.h"

#include <sys/wait.h>

int main(void) {
  char *p = pages_apart(8);
  for (int i = 0; i < 8; ++i)
    *(volatile char *)(p + i * PAGE) = 1;
  plain_write(p + 7 * PAGE); // marked above
  end_period();
  end_period(); // marks of a neighbouring period count
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // What the parent wrote is not a write of the child.
    plain_write(p);
    end_period();
    plain_write(p);
    plain_read(p + 2 * PAGE);
    end_period();
    known("anonymous", p, 2);
    return 0;
  }
  // Copied on this write, since the child has it too.
  plain_write(p + PAGE);
  end_period();
  int status;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  plain_write(p + 2 * PAGE);
  end_period();
  known("anonymous", p + PAGE, 1);
  known("anonymous", p + 2 * PAGE, 1);
  return 0;
}
