/*===- uffd_memory.c - Memory of every kind, and what becomes of it --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: uffd
// RUN: %known_sets --engine uffd --checksum written \
// RUN:   --plain %support/reference_hash.c %s

#include "Inputs/hashed_memory.h"

/* The same in memory that other processes may write while it is hashed. */
static void expect_unstable(const char *p, int may) {
  expect_at(known_period_, thread_id(), p, 1, may ? "mw" : "w");
  truth_line("checksum %d %llu 0x%llx unstable\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)p);
}
static void wrote_shared(char *p) {
  put(p);
  expect_unstable(p, 0);
}

int main(void) {
  /* What may lie there is watched before it exists. */
  require_status(pagetide_watch((void *)ARENA_BASE, 8 * GIB), PAGETIDE_OK);
  int fd = file_of_ones();

  /* Private memory counts from its first write on, whenever it was mapped. */
  char *a = map(0, 64 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  wrote(a);
  (void)*(volatile char *)(a + PAGE); /* the page of zeros */
  wrote(a + 2 * PAGE);
  end_period();
  (void)*(volatile char *)a;
  wrote(a + PAGE);
  end_period();

  /* Of a file: the page read is the file's, the page written a copy. */
  char *file = map(1, 16 * PAGE, MAP_PRIVATE, fd);
  (void)*(volatile char *)file;
  wrote(file + PAGE);
  end_period();
  wrote(file);
  end_period();

  /* Shared memory: while it is new nobody knows which pages were written. */
  char *shared = map(2, 16 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
  put(shared);
  expect_unstable(shared, 1);
  (void)*(volatile char *)(shared + PAGE);
  expect_unstable(shared + PAGE, 1);
  end_period();
  (void)*(volatile char *)shared;
  (void)*(volatile char *)(shared + 2 * PAGE);
  wrote_shared(shared + PAGE);
  wrote_shared(shared + 5 * PAGE);
  end_period();
  end_period();

  /* What the kernel writes for the program, into protected pages too. */
  require(pread(fd, a, 3 * PAGE, 0) == (ssize_t)(3 * PAGE));
  for (int i = 0; i < 3; ++i)
    expect_stable(a + i * PAGE, 0);
  require(pread(fd, shared + 7 * PAGE, 10, 8 * PAGE) == 10);
  expect_unstable(shared + 7 * PAGE, 0);
  end_period();

  /* Rights come and go; nothing was written by that. */
  require(mprotect(a, 64 * PAGE, PROT_READ) == 0);
  end_period();
  require(mprotect(a, 64 * PAGE, PROT_READ | PROT_WRITE) == 0);
  wrote(a + 3 * PAGE);
  end_period();

  /* A move is not a write. A page that was written before is listed at its new
   * address. */
  char *moved = (char *)ARENA_BASE + 3 * GIB;
  put(a + 2 * PAGE);
  require(mremap(a, 64 * PAGE, 128 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                 moved) == moved);
  expect_stable(moved + 2 * PAGE, 0);
  wrote(moved + 100 * PAGE);
  end_period();
  end_period();

  /* Something else in its place, and nothing: what was written there before is
   * gone, and not seen. */
  put(moved);
  require(mmap(moved, 8 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == moved);
  wrote(moved + PAGE);
  put(moved + 20 * PAGE);
  require(munmap(moved + 20 * PAGE, PAGE) == 0);
  put(moved + 21 * PAGE);
  require(madvise(moved + 21 * PAGE, PAGE, MADV_DONTNEED) == 0);
  end_period();

  /* A huge page would be written as one: there are none. */
  char *large = map(4, 8 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  (void)madvise(large, 8 * MIB, MADV_HUGEPAGE);
  wrote(large + 3 * MIB);
  end_period();
  wrote(large + 3 * MIB + 5 * PAGE);
  end_period();

  /* The pages move away, and an empty mapping stays. */
  char *left = map(5, 4 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  wrote(left);
  wrote(left + PAGE);
  end_period();
  put(left + PAGE);
  char *away = move_leaving(left, 4 * PAGE);
  expect_stable(away + PAGE, 0);
  wrote(left + 2 * PAGE);
  end_period();
  wrote(left);
  wrote(away);
  end_period();
  end_period();
  return 0;
}
