/*===- parameters-on-stack.c - Stores of parameters are stores -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A parameter that comes on the stack is stored to its variable like any other.
// Code generation would use the caller's copy as the variable, drop the store and
// leave its mark, of memory that nobody may have written in this period.

// RUN: %clang_pagetide -O0 -S -o - %s | FileCheck %s --check-prefix=O0
// RUN: %clang_pagetide -O2 -S -o - %s | FileCheck %s --check-prefix=O2
// RUN: %clang_pagetide -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=IR

void use(long *);

long seventh(long a, long b, long c, long d, long e, long f, long g) {
// O0-LABEL: seventh:
// O0-NOT:     leaq 16(%rbp)
// O0:         callq use
// O2-LABEL: seventh:
// O2:         leaq [[VARIABLE:[0-9]+]](%rsp), %rdi
// O2:         movb $1, %gs:2147418113(
// O2-NEXT:    movq {{%r..}}, [[VARIABLE]](%rsp)
// O2-NEXT:    callq use
  use(&g);
  return g;
}

long sixth(long a, long b, long c, long d, long e, long f) {
// IR-LABEL: define {{.*}}i64 @sixth(
// IR-NOT:     freeze
// IR:         call void @use(
  use(&f);
  return f;
}

long behind_a_wide_one(long double a, long b) {
// IR-LABEL: define {{.*}}i64 @behind_a_wide_one(
// IR:         [[HIDDEN:%.+]] = freeze ptr
// IR-NEXT:    store i64 {{.+}}, ptr [[HIDDEN]]
  use(&b);
  return b;
}
