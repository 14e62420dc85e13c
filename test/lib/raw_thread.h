/*===- raw_thread.h - A thread made by the clone system call itself --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "require.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { RAW_STACK = 256 * 1024 };

/* Runs function(argument) on a thread that no library knows of; it shares its
 * creator's thread-local storage. *alive is 0 when it has ended. */
static inline int raw_thread(void (*function)(void *), void *argument,
                             int *alive) {
  /* Never freed: the thread may be in its last instruction. */
  char *stack = (char *)malloc(RAW_STACK);
  require(stack != NULL);
  void **top = (void **)(((uintptr_t)stack + RAW_STACK) & ~(uintptr_t)15);
  *--top = argument;
  *--top = (void *)function;
  long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
               CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  long tid;
  register int *cleared __asm__("r10") = alive;
  *alive = 1;
  __asm__ volatile("syscall\n\t"
                   "test %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "xor %%ebp, %%ebp\n\t"
                   "pop %%rax\n\t"
                   "pop %%rdi\n\t"
                   "call *%%rax\n\t"
                   "mov %[exit], %%eax\n\t"
                   "xor %%edi, %%edi\n\t"
                   "syscall\n"
                   "1:"
                   : "=a"(tid)
                   : "a"((long)SYS_clone), "D"(flags), "S"(top), "d"(0L),
                     "r"(cleared), [exit] "i"(SYS_exit)
                   : "rcx", "r11", "memory");
  require(tid > 0);
  return (int)tid;
}

static inline void wait_for_raw_thread(int *alive) {
  int value;
  while ((value = __atomic_load_n(alive, __ATOMIC_ACQUIRE)) != 0)
    syscall(SYS_futex, alive, FUTEX_WAIT, value, NULL, NULL, 0);
}
