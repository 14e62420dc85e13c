/*===- windows.c - Control changes between two copies of a body ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %pagetide_clang -O2 -fpagetide-mode=windows -S %s -o - | FileCheck %s
// A function is one symbol, and its frame one frame.
// RUN: %pagetide_clang -O2 -fpagetide-mode=windows -c %s -o %t.o
// RUN: nm %t.o | not grep '\.pagetide$'
// RUN: not %pagetide_clang -O2 -fpagetide-mode=windows \
// RUN:   -fpagetide-layout=rw-site -c %s -o %t.o 2>&1 | \
// RUN:   FileCheck --check-prefix=SITES %s
// SITES: option mode=windows has no layout rw-site; leave one

void other(void);

// The entry, and the end of a loop that calls nobody: a comparison and a jump.
// CHECK-LABEL: {{^}}sum:
// CHECK: cmpb $0, __pagetide_marks_on(%rip)
// CHECK: cmpb $0, __pagetide_marks_on(%rip)
// CHECK-NEXT: je
// Whoever changes to marked code marks address 0.
// CHECK: movb $1, %gs:2147418113
// CHECK: shrq
// CHECK-NEXT: movb ${{[14]}}, %gs:2147418
// CHECK-LABEL: .size sum
long sum(const long *from, long many) {
  long result = 0;
  for (long i = 0; i < many; ++i)
    result = result * 31 + from[i];
  return result;
}

// Behind a call. The loop has no second test in plain code.
// CHECK-LABEL: {{^}}calls:
// CHECK: cmpb $0, __pagetide_marks_on(%rip)
// CHECK: callq {{.*}}other
// CHECK-NEXT: cmpb $0, __pagetide_marks_on(%rip)
// CHECK-NEXT: jne
// CHECK-LABEL: .size calls
void calls(long *to, int many) {
  for (int i = 0; i < many; ++i) {
    other();
    to[i] = i;
  }
}

// Nothing is accessed behind the call: the caller tests. It stays a tail call.
// CHECK-LABEL: {{^}}passes_on:
// CHECK: jmp {{.*}}other
// CHECK-LABEL: .size passes_on
void passes_on(long *to) {
  *to = 1;
  other();
}
