/*===- full_disk.c - Saves onto a disk that fills up ------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: root, namespaces
// RUN: rm -rf %t && mkdir -p %t/disk
// RUN: %build_c -O2 %s %link_checkpoint -o %t/full_disk
// RUN: unshare --mount bash %S/Inputs/full_disk.sh %t %t/full_disk

#include "checkpoints.h"

enum { PAGE = 4096, COUNT = 200 };

int main(int argc, char **argv) {
  require(argc == 3);
  static uint8_t filler[256 << 10];
  FILE *file = fopen(argv[2], "wb");
  require(file && fwrite(filler, sizeof filler, 1, file) == 1);
  require(fclose(file) == 0);
  uint8_t *a = pages(COUNT);
  static uint8_t want[COUNT * PAGE];
  unsigned seed = 1;
  pagetide_checkpoint_config config = in_folder(argv[1]);
  config.keep = 100;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  uint64_t last = 0;
  int failures = 0;
  for (int step = 0; step < 60; ++step) {
    for (size_t i = 0; i < 30 * PAGE; ++i)
      a[(step * 17 % 170) * PAGE + i] =
          (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
    pagetide_checkpoint_result r = {.size = sizeof r};
    int status = pagetide_checkpoint_save(c, &r);
    if (status == 0) {
      require(failures == 0);
      last = r.number;
      memcpy(want, a, sizeof want);
      continue;
    }
    require_checkpoint(status, PAGETIDE_CHECKPOINT_IO);
    require(strstr(pagetide_checkpoint_message(), "ENOSPC"));
    ++failures;
  }
  require(failures > 10 && last > 5);
  /* The last good one is what is restored, and saves go on from it. */
  pagetide_checkpoint_result r = restored(c, 0);
  require_equal(r.number, last);
  require(memcmp(a, want, sizeof want) == 0);
  require(unlink(argv[2]) == 0);
  a[0] ^= 1;
  require_equal(saved(c).moved_bytes, PAGE);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
