/*===- plugin.c - A library that touches a page ----------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <sys/mman.h>

int touch(void) {
  char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
  if (page == MAP_FAILED)
    return 1;
  *(volatile char *)page = 1;
  return 0;
}
