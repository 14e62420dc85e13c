/*===- checksums_file_limit.c - A small limit of file sizes ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/rw/21 --checksum written --plain %support/reference_hash.c %s

/* Pages are copied to a memory file of 256 KiB to be hashed. If the program's limit
 * is lower, they are read in another way. */

#include "known_sets.h"
#include "reference_hash.h"

#include <sys/resource.h>

static void write_pages(char *a, size_t pages) {
  for (size_t page = 0; page < pages; ++page) {
    a[page * GRANULE] = (char)(known_period_ + page + 1);
    expect_write(a + page * GRANULE, 1);
  }
  for (size_t page = 0; page < pages; ++page)
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + page * GRANULE),
               (unsigned long long)reference_hash(a + page * GRANULE, GRANULE));
  end_period();
}

int main(void) {
  const size_t pages = GRANULE == PAGE ? 60 : 2;
  char *a = arena(0, pages * GRANULE);
  write_pages(a, pages);
  struct rlimit limit = {100 * 1024, 100 * 1024};
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  write_pages(a, pages);
  write_pages(a, pages);
  return 0;
}
