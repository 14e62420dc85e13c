/*===- clash.c - Two functions whose sites have one id ---------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

__attribute__((noinline)) void FIRST(volatile char *page);
__attribute__((noinline)) void SECOND(volatile char *page);

#ifndef ONLY_SECOND
void FIRST(volatile char *page) { *page = 1; }
#endif
#ifndef ONLY_FIRST
void SECOND(volatile char *page) { *page = 2; }
#endif

#ifndef ONLY_SECOND
int main(void) {
  volatile char *pages =
      mmap((void *)0x100000000000, 3 * 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages == MAP_FAILED)
    return 1;
  FIRST(pages);
  SECOND(pages + 4096);
  SECOND(pages + 2 * 4096);
  return 0;
}
#endif
