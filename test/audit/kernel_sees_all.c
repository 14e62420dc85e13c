/*===- kernel_sees_all.c - The kernel's account is exact -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Code without marks writes a different set of pages in each period, and what
// is listed are these pages, each as often as it was written.
// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known
// RUN: test $(wc -l < known) -gt 500

#include "audited.h"

int main(void) {
  enum { kPages = 700, kPeriods = 60 };
  char *p = pages_apart(kPages);
  static unsigned char times[kPages];
  unsigned long state = 1;
  for (int period = 0; period < kPeriods; ++period) {
    for (int i = 0; i < kPages; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      switch (state >> 61) {
      case 0:
        plain_write(p + i * PAGE + (state >> 33) % PAGE);
        ++times[i];
        break;
      case 1: // reading is not writing
        plain_read(p + i * PAGE);
        break;
      }
    }
    end_period();
  }
  for (int i = 0; i < kPages; ++i)
    if (times[i])
      known("anonymous", p + i * PAGE, times[i]);
  return 0;
}
