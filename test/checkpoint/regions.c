/*===- regions.c - What saves take of regions, and restores put there -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/regions
// RUN: %t/regions %t/folder
// With exact marks, with sets that tell reads from nothing, with fine granules.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-precision=exact %s %link_checkpoint -o %t/exact
// RUN: rm -r %t/folder && %t/exact %t/folder
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-layout=write %s %link_checkpoint -o %t/write
// RUN: rm -r %t/folder && %t/write %t/folder
// While a clock ends periods, and someone else records.
// RUN: rm -r %t/folder && %pagetide record -p 1ms -o %t/trace -- %t/regions %t/folder

#define _GNU_SOURCE /* mremap */

#include "checkpoints.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { PAGE = 4096, COUNT = 256 };

static const char *folder;

static void fill(uint8_t *bytes, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i)
    bytes[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
}

/* Everything in this process: save, change, save, spoil, restore. */
static void increments(void) {
  pagetide_checkpoint *c = open_folder(folder);
  uint8_t *a = pages(COUNT), *b = pages(2);
  /* Neither begins nor ends at a page's boundary. */
  uint8_t *odd = b + 1000;
  const size_t odd_bytes = PAGE;
  uint8_t *want = malloc(COUNT * PAGE);
  uint8_t want_odd[PAGE];
  require_checkpoint(pagetide_checkpoint_protect(c, 7, a, COUNT * PAGE), 0);
  require_checkpoint(pagetide_checkpoint_protect(c, 3, odd, odd_bytes), 0);
  fill(a, COUNT * PAGE, 1);
  fill(odd, odd_bytes, 2);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.number, 1);
  require_equal(r.flags, PAGETIDE_CHECKPOINT_BASE);
  require_equal(r.bytes, COUNT * PAGE + odd_bytes);
  require_equal(r.moved_bytes, r.bytes);

  /* Nothing changed. */
  r = saved(c);
  require_equal(r.number, 2);
  require_equal(r.parent, 1);
  require_equal(r.flags, 0);
  require_equal(r.moved_bytes, 0);
  require_equal(r.chain, 2);

  /* Three pages did, and reading changes nothing. */
  a[5 * PAGE] ^= 1;
  a[6 * PAGE + 17] ^= 1;
  a[200 * PAGE + 4095] ^= 1;
  unsigned sum = 0;
  for (size_t i = 0; i < COUNT * PAGE; ++i)
    sum += a[i];
  require(sum != 0);
  r = saved(c);
  require_equal(r.moved_bytes, 3 * PAGE);
  memcpy(want, a, COUNT * PAGE);
  memcpy(want_odd, odd, odd_bytes);

  /* One byte of the odd region: its part of that page. */
  odd[PAGE - 1] ^= 0x55;
  memcpy(want_odd, odd, odd_bytes);
  r = saved(c);
  require_equal(r.number, 4);
  require_equal(r.moved_bytes, 1000);

  memset(a, 0xaa, COUNT * PAGE);
  memset(odd, 0xaa, odd_bytes);
  r = restored(c, 0);
  require_equal(r.number, 4);
  require_equal(r.chain, 4);
  require(memcmp(a, want, COUNT * PAGE) == 0);
  require(memcmp(odd, want_odd, odd_bytes) == 0);

  /* What restore wrote is not taken for new; the next save goes on from it. */
  a[0] ^= 1;
  want[0] ^= 1;
  r = saved(c);
  require_equal(r.number, 5);
  require_equal(r.parent, 4);
  require_equal(r.moved_bytes, PAGE);

  /* An older one, and after it a base. */
  r = restored(c, 1);
  require(a[5 * PAGE] == (want[5 * PAGE] ^ 1));
  r = saved(c);
  require_equal(r.number, 6);
  require_equal(r.parent, 0);
  /* To look at an old state has cost nothing. */
  restored(c, 5);
  require(memcmp(a, want, COUNT * PAGE) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  free(want);
}

/* Another process, other addresses. The content is that of checkpoint 6. */
static void elsewhere(void) {
  pagetide_checkpoint *c = open_folder(folder);
  size_t bytes = 0;
  require_checkpoint(pagetide_checkpoint_saved_bytes(c, 0, 3, &bytes), 0);
  require_equal(bytes, PAGE);
  require_checkpoint(pagetide_checkpoint_saved_bytes(c, 0, 4, &bytes),
                     PAGETIDE_CHECKPOINT_REGIONS);
  uint8_t *want = malloc(COUNT * PAGE);
  fill(want, COUNT * PAGE, 1);
  uint8_t *a = malloc(COUNT * PAGE + 99);
  uint8_t *odd = malloc(PAGE);
  pagetide_checkpoint_result r = {.size = sizeof r};

  /* Too few regions, then one too many, then a size that differs. */
  require_checkpoint(pagetide_checkpoint_protect(c, 7, a + 99, COUNT * PAGE),
                     0);
  require_checkpoint(pagetide_checkpoint_restore(c, 0, &r),
                     PAGETIDE_CHECKPOINT_REGIONS);
  require_checkpoint(pagetide_checkpoint_protect(c, 3, odd, PAGE - 1), 0);
  require_checkpoint(pagetide_checkpoint_restore(c, 0, &r),
                     PAGETIDE_CHECKPOINT_REGIONS);
  require(strstr(pagetide_checkpoint_message(), "region 3 has 4096 bytes"));
  require_checkpoint(pagetide_checkpoint_protect(c, 3, odd, PAGE), 0);
  uint8_t extra;
  require_checkpoint(pagetide_checkpoint_protect(c, 9, &extra, 1), 0);
  require_checkpoint(pagetide_checkpoint_restore(c, 0, &r),
                     PAGETIDE_CHECKPOINT_REGIONS);
  require_checkpoint(pagetide_checkpoint_unprotect(c, 9), 0);

  r = restored(c, 0);
  require_equal(r.number, 6);
  require(memcmp(a + 99, want, COUNT * PAGE) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* Regions that grow, shrink, move and go. */
static void changing(void) {
  pagetide_checkpoint *c = open_folder(folder);
  const size_t room = 64 * PAGE;
  uint8_t *a = pages(64);
  uint8_t want[64 * PAGE];
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, 10 * PAGE), 0);
  fill(a, room, 5);
  saved(c);
  /* Grown: the new bytes, and the page that was written. */
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, 20 * PAGE), 0);
  a[PAGE] ^= 1;
  require_equal(saved(c).moved_bytes, 11 * PAGE);
  /* Shrunk, and grown again within one increment: bytes beyond the smallest
   * size are not those of before. */
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, 5 * PAGE), 0);
  require_equal(saved(c).moved_bytes, 0);
  memset(a + 5 * PAGE, 0x33, 15 * PAGE);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, 12 * PAGE), 0);
  require_equal(saved(c).moved_bytes, 7 * PAGE);
  memcpy(want, a, 12 * PAGE);
  memset(a, 0, room);
  restored(c, 0);
  require(memcmp(a, want, 12 * PAGE) == 0);
  /* Moved by the kernel, which marks nothing. */
  uint8_t *m = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fill(m, 8 * PAGE, 6);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, m, 8 * PAGE), 0);
  saved(c);
  m[3 * PAGE] ^= 1;
  uint8_t *hole = mmap(NULL, 64 * PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  m = mremap(m, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
             hole + PAGE);
  require(m == hole + PAGE);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, m, 8 * PAGE), 0);
  require_equal(saved(c).moved_bytes, 8 * PAGE);
  memcpy(want + 20 * PAGE, m, 8 * PAGE);
  memset(m, 0, 8 * PAGE);
  restored(c, 0);
  require(memcmp(m, want + 20 * PAGE, 8 * PAGE) == 0);
  /* Gone, and there again: it is whole. */
  require_checkpoint(pagetide_checkpoint_unprotect(c, 2), 0);
  saved(c);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, m, 8 * PAGE), 0);
  require_equal(saved(c).moved_bytes, 8 * PAGE);
  memset(m, 0, 8 * PAGE);
  restored(c, 0);
  require(memcmp(m, want + 20 * PAGE, 8 * PAGE) == 0);
  /* What is refused. */
  require_checkpoint(pagetide_checkpoint_protect(c, 5, m + PAGE, 9 * PAGE),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_protect(c, 5, a, 0),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 5, (void *)(UINTPTR_MAX - 5), 10),
      PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_unprotect(c, 5),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_restore(c, 999, NULL),
                     PAGETIDE_CHECKPOINT_NONE);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_INVALID);
}

/* Calls of libc and the kernel's writes are in increments too. */
static void by_calls(void) {
  pagetide_checkpoint *c = open_folder(folder);
  uint8_t *a = pages(64);
  uint8_t want[64 * PAGE];
  int ends[2];
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, 64 * PAGE), 0);
  saved(c);
  memset(a + 3 * PAGE, 1, 2 * PAGE);
  strcpy((char *)a + 10 * PAGE, "words");
  snprintf((char *)a + 20 * PAGE, 100, "%d", 12345);
  require(pipe(ends) == 0);
  require(write(ends[1], "from a pipe", 11) == 11);
  require(read(ends[0], a + 30 * PAGE, 11) == 11);
  memcpy(want, a, sizeof want);
  require_equal(saved(c).moved_bytes, 5 * PAGE);
  memset(a, 9, 64 * PAGE);
  restored(c, 0);
  require(memcmp(a, want, sizeof want) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(int argc, char **argv) {
  require(argc == 2);
  folder = argv[1];
  in_child(increments);
  in_child(elsewhere);
  in_child(changing);
  in_child(by_calls);
  return 0;
}
