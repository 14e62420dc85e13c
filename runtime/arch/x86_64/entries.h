//===- entries.h - Code of exported functions -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ARCH_X86_64_ENTRIES_H
#define PAGETIDE_RUNTIME_ARCH_X86_64_ENTRIES_H

#include <sys/syscall.h>

/// Keeps the address to which the call returns, with register r11 alone.
#define PAGETIDE_KEEP_CALLER                                                   \
  "movq pagetide_caller@gottpoff(%%rip), %%r11\n\t"                            \
  "pushq (%%rsp)\n\t"                                                          \
  "popq %%fs:(%%r11)\n\t"

#define PAGETIDE_WITH_CALLER_CODE(at_call_sites, stands_in, name)              \
  asm volatile(PAGETIDE_KEEP_CALLER                                            \
               "jmp %c[wrapper]\n\t"                                           \
               ".pushsection .rodata.str1.1,\"aMS\",@progbits,1\n"             \
               "1:\t.asciz \"" #name "\"\n\t"                                  \
               ".popsection\n\t"                                               \
               ".pushsection pagetide_real,\"aR\",@progbits\n\t"               \
               ".balign 4\n"                                                   \
               "pagetide_real_" #name ":\n\t"                                  \
               ".long 1b - .\n\t"                                              \
               ".long %c[real] - .\n\t"                                        \
               ".long %c[wrapper] - .\n\t"                                     \
               ".long %c[with_caller] - .\n\t"                                 \
               ".long " at_call_sites "\n\t"                                   \
               ".long " stands_in "\n\t"                                       \
               ".popsection"                                                   \
               :                                                               \
               : [wrapper] "i"(&WRAP(name)), [real] "i"(&REAL(name)),          \
                 [with_caller] "i"(&pagetide_with_caller_##name))

/// Loads the RealFunction's address and jumps to PagetideResolveAndJump.
#define PAGETIDE_RESOLVE_AND_JUMP(name)                                        \
  "leaq pagetide_real_" #name "(%%rip), %%r11\n\t"                             \
  "jmp PagetideResolveAndJump"

#define PAGETIDE_ENTRY_CODE(name)                                              \
  asm volatile("cmpb $1, %c[mode](%%rip)\n\t"                                  \
               "je 1f\n\t"                                                     \
               "ja %c[with_caller]\n\t"                                        \
               "jmp %c[wrapper]\n"                                             \
               "1:\tmovq %c[real](%%rip), %%r11\n\t"                           \
               "testq %%r11, %%r11\n\t"                                        \
               "je 2f\n\t"                                                     \
               "jmp *%%r11\n"                                                  \
               "2:\t" PAGETIDE_RESOLVE_AND_JUMP(name)                          \
               :                                                               \
               : [mode] "i"(&pagetide::pagetide_entry_mode),                   \
                 [wrapper] "i"(&WRAP(name)),                                   \
                 [with_caller] "i"(&pagetide_with_caller_##name),              \
                 [real] "i"(&REAL(name)))

#define PAGETIDE_STEADY_ENTRY_CODE(name)                                       \
  asm volatile("cmpb $2, %c[mode](%%rip)\n\t"                                  \
               "je %c[with_caller]\n\t"                                        \
               "jmp %c[wrapper]"                                               \
               :                                                               \
               : [mode] "i"(&pagetide::pagetide_entry_mode),                   \
                 [with_caller] "i"(&pagetide_with_caller_##name),              \
                 [wrapper] "i"(&WRAP(name)))

#define PAGETIDE_CALL_SITE_CODE(name)                                          \
  asm volatile("cmpq %c[usual](%%rip), %%r9\n\t"                               \
               "jne 1f\n\t"                                                    \
               "jmp *%c[target](%%rip)\n"                                      \
               "1:\t" PAGETIDE_RESOLVE_AND_JUMP(name)                          \
               :                                                               \
               : [usual] "i"(&at_call_sites_of_##name.usual),                  \
                 [target] "i"(&at_call_sites_of_##name.target))

/// Calls a function that returns an address, and goes on there.
#define PAGETIDE_ASKING(function)                                              \
  "pushq %rax\n\t"                                                             \
  "pushq %rdi\n\t"                                                             \
  "pushq %rsi\n\t"                                                             \
  "pushq %rdx\n\t"                                                             \
  "pushq %rcx\n\t"                                                             \
  "pushq %r8\n\t"                                                              \
  "pushq %r9\n\t"                                                              \
  "call " function "\n\t"                                                      \
  "movq %rax, %r11\n\t"                                                        \
  "popq %r9\n\t"                                                               \
  "popq %r8\n\t"                                                               \
  "popq %rcx\n\t"                                                              \
  "popq %rdx\n\t"                                                              \
  "popq %rsi\n\t"                                                              \
  "popq %rdi\n\t"                                                              \
  "popq %rax\n\t"                                                              \
  "jmp *%r11"
#define PAGETIDE_ASK_AND_JUMP(function) asm volatile(PAGETIDE_ASKING(function))

// rt_sigreturn; clone, fork, vfork, execve, exit; exit_group; clone3.
static_assert(SYS_rt_sigreturn == 15 && SYS_clone == 56 && SYS_exit == 60 &&
              SYS_exit_group == 231 && SYS_clone3 == 435);
#define PAGETIDE_SYSCALL_CODE(marked, real)                                    \
  asm volatile("cmpq $15, %rdi\n\t"                                            \
               "je 1f\n\t"                                                     \
               "leaq -56(%rdi), %rax\n\t"                                      \
               "cmpq $4, %rax\n\t"                                             \
               "jbe 1f\n\t"                                                    \
               "cmpq $231, %rdi\n\t"                                           \
               "je 1f\n\t"                                                     \
               "cmpq $435, %rdi\n\t"                                           \
               "je 1f\n\t"                                                     \
               "jmp " marked "\n"                                              \
               "1:\n\t" PAGETIDE_ASKING(real))

#endif // PAGETIDE_RUNTIME_ARCH_X86_64_ENTRIES_H
