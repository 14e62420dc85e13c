/*===- granularity.c - Units in which saves take what changed ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s %link_checkpoint -o %t/fine
// RUN: %t/fine %t/folder 64
// The recording's unit is the granule of its sets.
// RUN: rm -r %t/folder && PAGETIDE_OPTIONS=granularity=1K %t/fine %t/folder 1024
// RUN: rm -r %t/folder
// RUN: %build_c -O2 %s %link_checkpoint -o %t/pages
// RUN: %t/pages %t/folder 4096

#include "checkpoints.h"

enum { BYTES = 4 << 20, PLACES = 200, STRIDE = 5 * 4096 };

static const char *folder;
static size_t granule;

/* Writes one byte at each place, saves in units of `granularity`, and requires
 * that each place costs one unit of `unit` bytes. */
static void costs(size_t granularity, size_t unit) {
  pagetide_checkpoint_config config = in_folder(folder);
  config.granularity = granularity;
  pagetide_checkpoint *c = open_with(&config);
  uint8_t *bytes = pages(BYTES / 4096);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, bytes, BYTES), 0);
  require_equal(saved(c).moved_bytes, BYTES);
  uint64_t number = 0;
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < PLACES; ++i)
      bytes[i * STRIDE + round * 100] = (uint8_t)(round + i);
    const pagetide_checkpoint_result result = saved(c);
    require_equal(result.moved_bytes, PLACES * unit);
    number = result.number;
  }
  memset(bytes, 0xee, BYTES);
  restored(c, number);
  for (int round = 1; round <= 3; ++round)
    for (int i = 0; i < PLACES; ++i) {
      require_equal(bytes[i * STRIDE + round * 100], (uint8_t)(round + i));
      bytes[i * STRIDE + round * 100] = 0;
    }
  for (int i = 0; i < BYTES; ++i)
    require_equal(bytes[i], 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void by_itself(void) { costs(0, granule); }
static void in_256(void) { costs(256, larger(256, granule)); }
static void in_pages(void) { costs(4096, 4096); }

static void refused(void) {
  const size_t wrong[] = {1, 32, 63, 100, 4097, 4 << 20};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    pagetide_checkpoint_config config = in_folder(folder);
    config.granularity = wrong[i];
    pagetide_checkpoint *c;
    require_checkpoint(pagetide_checkpoint_open(&config, &c),
                       PAGETIDE_CHECKPOINT_INVALID);
    require(strstr(pagetide_checkpoint_message(), "granularity"));
  }
}

int main(int argc, char **argv) {
  require(argc == 3);
  folder = argv[1];
  granule = (size_t)atol(argv[2]);
  in_child(by_itself);
  in_child(in_256);
  in_child(in_pages);
  in_child(refused);
  return 0;
}
