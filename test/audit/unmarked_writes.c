/*===- unmarked_writes.c - Every kind of write without a mark is listed ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -g -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 -o kept --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known
// Under layout write too; under layout access reads are accesses as well.
// RUN: rm known && %build_c -Xclang -mllvm -Xclang -pagetide-layout=write \
// RUN:   -O1 -g -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known
// RUN: rm known && %build_c -Xclang -mllvm -Xclang -pagetide-layout=access \
// RUN:   -O1 -g -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known
// A kept trace is read again, for people. The report breaks its lines by their
// length, and so by that of the program's path: one line here.
// RUN: (%pagetide audit --from kept > text; test $? = 1)
// RUN: tr -s '\n ' ' ' < text > line && FileCheck %s < line
// CHECK: Audit of process {{[0-9]+}}: ./program
// CHECK: the program's memory
// CHECK: Uncovered in the program's memory
// CHECK: program: data of
// CHECK: by_kernel
// CHECK: by_assembly
// CHECK: Verdict: the page sets lack

#include "audited.h"

#include <sys/syscall.h>

static char marked[8 * PAGE] __attribute__((aligned(PAGE)));
static char by_kernel[2 * PAGE] __attribute__((aligned(PAGE)));
static char by_assembly[PAGE] __attribute__((aligned(PAGE)));

/// The system call itself: no interceptor sees it.
static long read_raw(int fd, void *buffer, size_t bytes) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_read), "D"(fd), "S"(buffer), "d"(bytes)
                   : "rcx", "r11", "memory");
  return result;
}

int main(void) {
  char *anonymous = pages_apart(8);
  int zeros = open("/dev/zero", O_RDONLY);
  REQUIRE(zeros >= 0);
  enum { kPeriods = 4 };
  for (int period = 0; period < kPeriods; ++period) {
    for (int i = 0; i < 8; ++i)
      *(volatile char *)(marked + i * PAGE + period) = 1;
    // The page before is only read, by code without marks.
    REQUIRE(read_raw(zeros, by_kernel + PAGE, 100) == 100);
    plain_read(by_kernel);
    // No operand says that it writes.
    __asm__ volatile("movb $1, (%0)" ::"r"(by_assembly + 7));
    plain_write(plain_page(period % 3));
    plain_write(anonymous + 2 * PAGE);
    plain_read(anonymous + 3 * PAGE);
    // Written by both kinds of code: marked.
    plain_write(anonymous + 5 * PAGE);
    *(volatile char *)(anonymous + 5 * PAGE) = 1;
    end_period();
  }
  known("program", by_kernel + PAGE, kPeriods);
  known("program", by_assembly, kPeriods);
  known("program", plain_page(0), 2);
  known("program", plain_page(1), 1);
  known("program", plain_page(2), 1);
  known("anonymous", anonymous + 2 * PAGE, kPeriods);
  return 0;
}
