/*===- fork_memory.c - Memory of every kind, and what becomes of it --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --engine fork --checksum written \
// RUN:   --plain %support/reference_hash.c %s

#include "Inputs/hashed_memory.h"

#include <malloc.h>

static void only_read(const char *p) { (void)*(const volatile char *)p; }

/* Each way from a state at one boundary to a state at the next. */
static void states(char *a, char *file) {
  enum { NONE, ZERO, OWN, OF_FILE, COPIED, STATES };
  char *at[STATES] = {a, a + PAGE, a + 2 * PAGE, file, file + PAGE};
  only_read(at[ZERO]);
  wrote(at[OWN]);
  only_read(at[OF_FILE]);
  wrote(at[COPIED]);
  end_period();

  /* Nobody touches anything, or only reads what is there. */
  end_period();
  for (int i = ZERO; i < STATES; ++i)
    only_read(at[i]);
  end_period();

  /* The same value once more is a write too. */
  char value = *(volatile char *)at[OWN];
  *(volatile char *)at[OWN] = value;
  expect_stable(at[OWN], 0);
  *(volatile char *)at[ZERO] = 0;
  expect_stable(at[ZERO], 0);
  end_period();
  for (int i = 0; i < STATES; ++i)
    wrote(at[i]);
  end_period();

  /* What is given back is gone, and the page of zeros or the file's comes. */
  for (int i = 0; i < STATES; ++i)
    put(at[i]);
  require(madvise(a, 3 * PAGE, MADV_DONTNEED) == 0);
  require(madvise(file, 2 * PAGE, MADV_DONTNEED) == 0);
  end_period();
  for (int i = 0; i < STATES; ++i)
    only_read(at[i]);
  end_period();
  end_period();
  for (int i = 0; i < STATES; ++i)
    wrote(at[i]);
  require(madvise(a, 3 * PAGE, MADV_DONTNEED) == 0);
  for (int i = 0; i < 3; ++i)
    wrote(at[i]);
  end_period();
  end_period();
}

/* A move is not a write. Nobody can tell that of each page in the period of the
 * move: a page is certain if it differs from what was moved. */
static void moves(char *a) {
  char *moved = (char *)ARENA_BASE + 3 * GIB;
  for (int i = 0; i < 8; ++i)
    wrote(a + i * PAGE);
  end_period();
  put(a + 2 * PAGE);
  require(mremap(a, 64 * PAGE, 128 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                 moved) == moved);
  for (int i = 0; i < 8; ++i)
    expect_stable(moved + i * PAGE, i != 2);
  end_period();
  end_period();
  wrote(moved + 100 * PAGE);
  end_period();

  /* And something else in its place, with the same contents. */
  require(mremap(moved, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a) ==
          a);
  require(mmap(moved, 8 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == moved);
  memcpy(moved, a, 2 * PAGE);
  for (int i = 0; i < 8; ++i)
    expect_stable(a + i * PAGE, 1);
  for (int i = 0; i < 2; ++i)
    expect_stable(moved + i * PAGE, 1);
  end_period();
  end_period();
  wrote(moved);
  end_period();
}

/* 32 GiB with a page here and there. */
static void sparse(void) {
  char *a = (char *)ARENA_BASE + 64 * GIB;
  require(mmap(a, 32 * GIB, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
               0) == a);
  require_status(pagetide_watch(a, 32 * GIB), PAGETIDE_OK);
  end_period();
  for (size_t i = 0; i < 32; ++i)
    wrote(a + i * GIB + (511 - i) * MIB);
  end_period();
  for (size_t i = 0; i < 32; i += 3)
    wrote(a + i * GIB + (511 - i) * MIB);
  end_period();
}

int main(void) {
  /* What may lie there is watched before it exists. */
  require_status(pagetide_watch((void *)ARENA_BASE, 8 * GIB), PAGETIDE_OK);
  int fd = file_of_ones();
  char *a = map(0, 64 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *file = map(1, 16 * PAGE, MAP_PRIVATE, fd);
  states(a, file);

  /* Shared memory is not seen, and the trace says so. */
  char *shared = map(2, 16 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
  put(shared);
  end_period();
  put(shared);
  end_period();

  /* What the kernel writes for the program. */
  require(pread(fd, a, 3 * PAGE, 0) == (ssize_t)(3 * PAGE));
  for (int i = 0; i < 3; ++i)
    expect_stable(a + i * PAGE, 0);
  end_period();

  /* Rights come and go; nothing was written by that. */
  require(mprotect(a, 64 * PAGE, PROT_READ) == 0);
  end_period();
  require(mprotect(a, 64 * PAGE, PROT_READ | PROT_WRITE) == 0);
  wrote(a + 3 * PAGE);
  end_period();

  moves(a);

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
  expect_stable(away, 1);
  expect_stable(away + PAGE, 0);
  wrote(left + 2 * PAGE);
  end_period();
  end_period();
  wrote(left);
  wrote(away);
  end_period();

  sparse();
  return 0;
}
