/*===- lz4.c - Chains that LZ4 compresses -----------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The library's LZ4 is its own: none of it is to be seen, and the program's
// functions of these names, which end it, are not called.
// RUN: llvm-nm -D %libdir/libpagetide-checkpoint.so >%t.symbols
// RUN: grep -q pagetide_checkpoint_save %t.symbols
// RUN: not grep LZ4 %t.symbols
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 -rdynamic %s %link_checkpoint -o %t/lz4
// RUN: llvm-nm -D %t/lz4 | grep LZ4_decompress_safe
// RUN: %t/lz4 save %t/saved && %t/lz4 restore %t/saved
// RUN: %pagetide checkpoint verify %t/saved | FileCheck %s --check-prefix=LIST
// LIST: 1 {{.*}} base{{$}}
// LIST: 5 {{.*}} 5 increment to 4{{$}}
// Readers of version 1 refuse only what they cannot decode.
// RUN: %python %S/Inputs/versions.py %t/saved | FileCheck %s --check-prefix=SAVED
// SAVED:      checkpoint-00000001: version 2.0
// SAVED-NEXT: checkpoint-00000002: version 2.0
// SAVED-NEXT: checkpoint-00000003: version 1.0
// SAVED-NEXT: checkpoint-00000004: version 1.0
// SAVED-NEXT: checkpoint-00000005: version 2.0

// Commands: what they write is restored, and still compressed by LZ4.
// RUN: %pagetide checkpoint stream %t/saved | %pagetide checkpoint apply %t/copy
// RUN: %t/lz4 restore %t/copy
// RUN: %python %S/Inputs/versions.py %t/copy | FileCheck %s --check-prefix=COPY
// COPY: checkpoint-00000001: version 2.0
// RUN: %pagetide checkpoint extract --region 1 -o %t/before %t/saved
// RUN: %pagetide checkpoint compact %t/saved
// RUN: %pagetide checkpoint extract --region 1 -o %t/after %t/saved
// RUN: cmp %t/before %t/after && %t/lz4 restore %t/saved
// RUN: %python %S/Inputs/versions.py %t/saved | FileCheck %s --check-prefix=COMPACT
// COMPACT: checkpoint-00000005: version 2.0
// RUN: %t/lz4 stream %t/sender >%t/stream
// RUN: %pagetide checkpoint apply -i %t/stream %t/receiver && %t/lz4 restore %t/receiver
// RUN: %python %S/Inputs/versions.py %t/receiver | FileCheck %s --check-prefix=COPY

// Damage is found, and named.
// RUN: printf X | dd of=%t/saved/data-00000005-1 bs=1 seek=100 conv=notrunc status=none
// RUN: (%pagetide checkpoint verify %t/saved; test $? -eq 1) | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: data-00000005-1: is damaged: bytes 56 to {{[0-9]+}} are not as they were written

#include "checkpoints.h"

enum { PAGE = 4096, COUNT = 600 };

/* The program has an LZ4 of its own. */
#define OF_THE_PROGRAM(name)                                                   \
  __attribute__((visibility("default"))) int name(void) {                      \
    fprintf(stderr, #name " of the program was called\n");                     \
    _exit(98);                                                                 \
  }
OF_THE_PROGRAM(LZ4_sizeofState)
OF_THE_PROGRAM(LZ4_compress_default)
OF_THE_PROGRAM(LZ4_compress_fast_extState)
OF_THE_PROGRAM(LZ4_decompress_safe)

static uint8_t *a;

static pagetide_checkpoint *opened(const char *folder, int compression) {
  pagetide_checkpoint_config config = in_folder(folder);
  config.compression = compression;
  config.program = "lz4";
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  return c;
}

/* What the pages have after so many steps. The second half of each is noise in
 * some of them. */
static void step(unsigned number) {
  for (size_t page = number == 0 ? 0 : number; page < COUNT;
       page += number == 0 ? 1 : 37) {
    uint8_t *p = a + page * PAGE;
    memset(p, (int)(page + number), PAGE);
    unsigned seed = (unsigned)page * 7 + number;
    for (size_t i = PAGE / 2; i < PAGE && page % 3 == 0; ++i)
      p[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
  }
}

static const int kinds[] = {PAGETIDE_CHECKPOINT_LZ4, PAGETIDE_CHECKPOINT_LZ4, 0,
                            PAGETIDE_CHECKPOINT_NO_COMPRESSION,
                            PAGETIDE_CHECKPOINT_LZ4};
enum { STEPS = sizeof kinds / sizeof *kinds };

/* Each checkpoint by a process of its own, which goes on from the last one. */
static const char *folder;
static unsigned now;
static void save_step(void) {
  pagetide_checkpoint *c = opened(folder, kinds[now]);
  if (now != 0)
    restored(c, 0);
  step(now);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.number, now + 1);
  require_equal(r.parent, now);
  if (kinds[now] == PAGETIDE_CHECKPOINT_LZ4)
    require(r.file_bytes < r.moved_bytes / 2);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(int argc, char **argv) {
  require(argc == 3);
  folder = argv[2];
  a = pages(COUNT);
  if (strcmp(argv[1], "save") == 0) {
    for (now = 0; now < STEPS; ++now)
      in_child(save_step);
    return 0;
  }
  if (strcmp(argv[1], "stream") == 0) {
    pagetide_checkpoint *c = opened(folder, PAGETIDE_CHECKPOINT_LZ4);
    for (now = 0; now < STEPS; ++now)
      step(now);
    const pagetide_checkpoint_stream_config config = {.size = sizeof config,
                                                      .without_cut = 1};
    require_checkpoint(
        pagetide_checkpoint_stream(c, STDOUT_FILENO, &config, NULL), 0);
    require_checkpoint(pagetide_checkpoint_close(c), 0);
    return 0;
  }
  pagetide_checkpoint *c = opened(folder, 0);
  restored(c, 0);
  uint8_t *got = a;
  a = pages(COUNT);
  for (now = 0; now < STEPS; ++now)
    step(now);
  require(memcmp(got, a, COUNT * PAGE) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
