/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ends its periods itself, so that what each one touches is known. Addresses do
 * not depend on the machine: they are within one region, from one page on. */
#include <pagetide/pagetide.h>
#include <string.h>
#include <sys/mman.h>

enum { kPage = 4096, kPages = 64 };

static void write_pages(volatile char *region, int first, int end) {
  for (int page = first; page < end; page++)
    region[page * kPage] = 1;
}

static char read_pages(volatile char *region, int first, int end) {
  char sum = 0;
  for (int page = first; page < end; page++)
    sum += region[page * kPage];
  return sum;
}

int main(void) {
  volatile char *region =
      mmap((void *)0x100000000000, kPages * kPage, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (region == MAP_FAILED)
    return 1;
  write_pages(region, 0, 40);
  pagetide_period_end();
  char sum = read_pages(region, 20, 50);
  pagetide_period_end();
  write_pages(region, 20, 30);
  pagetide_period_end();
  return sum == 1;
}
