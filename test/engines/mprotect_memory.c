/*===- mprotect_memory.c - Memory of every kind, and what becomes of it ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --engine mprotect %s

#include "Inputs/mapped_memory.h"

#include <malloc.h>

static void wrote(char *p) {
  put(p);
  expect_write(p, 1);
}

int main(void) {
  require_status(pagetide_watch((void *)ARENA_BASE, 8 * GIB), PAGETIDE_OK);
  int fd = file_of_ones();

  char *a = map(0, 64 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  wrote(a);
  (void)*(volatile char *)(a + PAGE);
  wrote(a + 2 * PAGE);
  end_period();
  (void)*(volatile char *)a;
  wrote(a + PAGE);
  wrote(a + PAGE);
  end_period();

  char *file = map(1, 16 * PAGE, MAP_PRIVATE, fd);
  (void)*(volatile char *)file;
  wrote(file + PAGE);
  end_period();
  char *shared = map(2, 16 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
  wrote(shared);
  (void)*(volatile char *)(shared + PAGE);
  end_period();
  wrote(shared + PAGE);
  wrote(file);
  end_period();

  /* The kernel writes into protected pages. Those that it may write are lifted
   * before, and reported as possible if the call does not tell. */
  require(pread(fd, a, 3 * PAGE, 0) == (ssize_t)(3 * PAGE));
  expect_write(a, 3 * PAGE);
  end_period();

  /* Rights come and go. What was there is not written by that. */
  require(mprotect(a, 64 * PAGE, PROT_READ) == 0);
  end_period();
  require(mprotect(a, 64 * PAGE, PROT_READ | PROT_WRITE) == 0);
  wrote(a + 3 * PAGE);
  end_period();

  /* A page that is written and then moved counts as written at its old
   * address. */
  char *moved = (char *)ARENA_BASE + 3 * GIB;
  wrote(a + 2 * PAGE);
  wrote(a + 40 * PAGE);
  require(mremap(a, 64 * PAGE, 128 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                 moved) == moved);
  wrote(moved + 5 * PAGE);
  wrote(moved + 100 * PAGE);
  end_period();
  wrote(moved + 6 * PAGE);
  end_period();

  /* What is unmapped or replaced later still counts as written. */
  wrote(moved);
  require(mmap(moved, 8 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == moved);
  wrote(moved + PAGE);
  wrote(moved + 20 * PAGE);
  require(munmap(moved + 20 * PAGE, PAGE) == 0);
  end_period();

  /* libc's own mappings: the kernel moves a block with its rights. */
  char *block = (char *)malloc(2 * MIB);
  require(block != NULL);
  block[0] = 1;
  end_period();
  for (size_t mib = 3; mib < 12; ++mib) {
    block = (char *)realloc(block, mib * MIB);
    require(block != NULL);
    block[0] += 1;
    block[mib * MIB - 1] = 1;
    end_period();
  }
  require(block[0] == 10);
  free(block);
  return 0;
}
