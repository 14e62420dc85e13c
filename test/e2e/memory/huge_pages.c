/*===- huge_pages.c - Pages of 2 MiB that the program asked for ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// Sets and checksums are by granule, whatever the kernel's pages are. (With none
// reserved: echo 4 > /proc/sys/vm/nr_hugepages)
// REQUIRES: huge-pages
// RUN: %known_sets --ways O1,O2/write --checksum written \
// RUN:   --plain %support/reference_hash.c %s

#include "known_sets.h"
#include "reference_hash.h"

int main(void) {
  char *base = (char *)ARENA_BASE;
  char *huge = (char *)mmap(
      base, 4 * MIB, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED_NOREPLACE, -1, 0);
  require(huge == base);
  require_status(pagetide_watch(huge, 4 * MIB), PAGETIDE_OK);
  for (int period = 0; period < 3; ++period) {
    for (size_t at = (size_t)period * 16 * PAGE; at < 4 * MIB;
         at += 300 * PAGE) {
      huge[at] = (char)(period + 1);
      expect_write(huge + at, 1);
      truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
                 (unsigned long long)known_period_,
                 (unsigned long long)(uintptr_t)(huge + at),
                 (unsigned long long)reference_hash(huge + at, PAGE));
    }
    end_period();
  }
  return 0;
}
