/*===- unwind_entries.c - A call's frames at each instruction of an entry ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The code of the exported functions is not a compiler's. The processor stops at
 * each instruction of the runtime during a call, and the frames are looked up
 * there: the caller is always among them. That holds while marks are off and the
 * real function is not known yet, while marks are on, and if marks name sites.
 *
 *===----------------------------------------------------------------------===*/

// RUN: %pagetide_clang -O1 %s -o %t.program
// RUN: %t.program | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.ptrace':period=0" %t.program | FileCheck %s --check-prefixes=CHECK,ON
// RUN: %pagetide_clang -O1 -g -fpagetide-layout=rw-site %s -o %t.sites
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.sites.ptrace':period=0" %t.sites | FileCheck %s --check-prefixes=CHECK,ON

// CHECK: strcpy: caller found at each of {{[1-9][0-9]*}} instructions
// Code without marks calls libc's strlen.
// OFF-NEXT: strlen: caller found at each of 0 instructions
// ON-NEXT: strlen: caller found at each of {{[1-9][0-9]*}} instructions
// CHECK-NEXT: getcontext: caller found at each of {{[1-9][0-9]*}} instructions
// CHECK-NEXT: syscall: caller found at each of {{[1-9][0-9]*}} instructions
// CHECK-NEXT: signal: caller found at each of {{[1-9][0-9]*}} instructions

#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

static uintptr_t code_begin, code_end; // the runtime's
static uintptr_t caller; // where its frame ends
static volatile unsigned steps, lost;

static int find_runtime(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(info->dlpi_name, "libpagetide.so"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_flags & PF_X) {
      code_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      code_end = code_begin + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found) {
  if (_Unwind_GetCFA(context) != caller)
    return _URC_NO_REASON;
  *(int *)found = 1;
  return _URC_END_OF_STACK;
}

static void on_step(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const uintptr_t at =
      (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (at < code_begin || at >= code_end)
    return;
  int found = 0;
  _Unwind_Backtrace(look, &found);
  ++steps;
  lost += !found;
}

// Each name is called once: the first call finds the real function.
#define STEP_THROUGH(name, call)                                               \
  static __attribute__((noinline)) void through_##name(void) {                 \
    steps = lost = 0;                                                          \
    caller = (uintptr_t)__builtin_dwarf_cfa();                                 \
    asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");     \
    call;                                                                      \
    asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");   \
    if (lost)                                                                  \
      printf(#name ": caller lost at %u of %u instructions\n", lost, steps);   \
    else                                                                       \
      printf(#name ": caller found at each of %u instructions\n", steps);      \
  }

static char text[64];
static ucontext_t saved;
static const char *volatile words = "some words";
STEP_THROUGH(strcpy, strcpy(text, words))
STEP_THROUGH(strlen, text[0] = (char)strlen(words))
STEP_THROUGH(getcontext, getcontext(&saved))
STEP_THROUGH(syscall, syscall(SYS_getcwd, text, sizeof(text)))
STEP_THROUGH(signal, signal(SIGUSR1, SIG_IGN))

int main(void) {
  dl_iterate_phdr(find_runtime, NULL);
  const struct sigaction action = {.sa_sigaction = on_step,
                                   .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  through_strcpy();
  through_strlen();
  through_getcontext();
  through_syscall();
  through_signal();
  return 0;
}
