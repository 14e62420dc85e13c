/*===- wild_pointers.c - What faults natively faults in the same way -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// A program with a handler of SIGSEGV sees the access's fault: signal, code and
// address are those of a build without Pagetide, also where a mark of the
// address faults by itself (the kernel's half, and between the halves).
// RUN: %plain_c -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %build_c -O1 %s -o %t.1 && %t.1 > %t.out1 && diff %t.expected %t.out1
// RUN: %build_c -O0 %s -o %t.0 && %t.0 > %t.out0 && diff %t.expected %t.out0
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-layout=access %s -o %t.2
// RUN: %t.2 > %t.out2 && diff %t.expected %t.out2
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=21 %s -o %t.3
// RUN: %t.3 > %t.out3 && diff %t.expected %t.out3
// RUN: grep -c 'address 0xffff800000000010' %t.expected
//
// Without one it dies by the same signal.
// RUN: (%t.plain die; echo $?) > %t.died 2>&1 ; (%t.1 die; echo $?) > %t.died1 2>&1
// RUN: grep -x 139 %t.died && grep -x 139 %t.died1

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void by_info(int number, siginfo_t *info, void *context) {
  (void)context;
  ++faults;
  printf("  signal %d code %d address %p\n", number, info->si_code,
         info->si_addr);
  siglongjmp(back, 1);
}
static void plainly(int number) {
  ++faults;
  printf("  signal %d\n", number);
  siglongjmp(back, 1);
}

static void touch(uint64_t address) {
  printf("%#llx\n", (unsigned long long)address);
  volatile char *p = (volatile char *)(uintptr_t)address;
  __asm__ volatile("" : "+r"(p));
  if (!sigsetjmp(back, 1)) {
    char c = *p;
    (void)c;
    printf("  read\n");
  }
  if (!sigsetjmp(back, 1)) {
    *p = 1;
    printf("  written\n");
  }
  volatile uint64_t *wide = (volatile uint64_t *)p;
  if (!sigsetjmp(back, 1)) {
    *wide += 1;
    printf("  changed\n");
  }
}

int main(int argc, char **argv) {
  (void)argv;
  const uint64_t addresses[] = {
      0, 8, 4095, 0x10000, UINT64_C(0x600000000000), UINT64_C(0x7ffffffff000),
      UINT64_C(0x7fffffffffff),
      /* between the halves, where no mark can reach */
      UINT64_C(0x0123000000000010), UINT64_C(0x7fffffffffffffff),
      UINT64_C(0x8000000000000000), UINT64_C(0xdeadbeefdeadbeef),
      /* the kernel's half */
      UINT64_C(0xffff800000000010), UINT64_C(0xffffc90000000000),
      UINT64_C(0xffffffff81000000), UINT64_C(0xfffffffffffffff0),
      ~UINT64_C(0)};
  if (argc > 1) {
    touch(addresses[11]);
    return 0;
  }
  struct sigaction action, seen;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = by_info;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; ++i)
    touch(addresses[i]);

  /* The program reads back what it has set. */
  sigaction(SIGSEGV, NULL, &seen);
  printf("%d %d %d\n", seen.sa_sigaction == by_info,
         seen.sa_flags == action.sa_flags,
         memcmp(&seen.sa_mask, &action.sa_mask, 8));
  printf("%d\n", (void *)signal(SIGSEGV, plainly) == (void *)by_info);
  touch(addresses[11]);
  printf("%d\n", signal(SIGSEGV, plainly) == plainly);
  sigaction(SIGSEGV, NULL, &seen);
  printf("%d %#x\n", seen.sa_handler == plainly,
         (unsigned)seen.sa_flags & ~0x4000000u /* SA_RESTORER */);
  /* Once only: after it the action is the default one. */
  action.sa_flags |= (int)SA_RESETHAND;
  sigaction(SIGSEGV, &action, NULL);
  if (!sigsetjmp(back, 1)) {
    volatile char *p = (volatile char *)(uintptr_t)addresses[11];
    __asm__ volatile("" : "+r"(p));
    *p = 1;
  }
  sigaction(SIGSEGV, NULL, &seen);
  printf("%d\n", seen.sa_handler == SIG_DFL);
  printf("%d faults\n", (int)faults);
  return 0;
}
