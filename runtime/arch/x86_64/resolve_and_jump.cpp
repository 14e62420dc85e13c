//===- resolve_and_jump.cpp - The way to a function not resolved yet
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arch/entries.h"

extern "C" __attribute__((naked)) void PagetideResolveAndJump() {
  asm volatile("pushq %rax\n\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\t"
               "pushq %rcx\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\t"
               "subq $136, %rsp\n\t"
               "movups %xmm0, (%rsp)\n\tmovups %xmm1, 16(%rsp)\n\t"
               "movups %xmm2, 32(%rsp)\n\tmovups %xmm3, 48(%rsp)\n\t"
               "movups %xmm4, 64(%rsp)\n\tmovups %xmm5, 80(%rsp)\n\t"
               "movups %xmm6, 96(%rsp)\n\tmovups %xmm7, 112(%rsp)\n\t"
               "movq %r11, %rdi\n\tmovq %r9, %rsi\n\t"
               "call PagetideResolve\n\t"
               "movq %rax, %r11\n\t"
               "movups (%rsp), %xmm0\n\tmovups 16(%rsp), %xmm1\n\t"
               "movups 32(%rsp), %xmm2\n\tmovups 48(%rsp), %xmm3\n\t"
               "movups 64(%rsp), %xmm4\n\tmovups 80(%rsp), %xmm5\n\t"
               "movups 96(%rsp), %xmm6\n\tmovups 112(%rsp), %xmm7\n\t"
               "addq $136, %rsp\n\t"
               "popq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\t"
               "popq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\tpopq %rax\n\t"
               "jmp *%r11");
}
