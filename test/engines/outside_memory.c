/*===- outside_memory.c - Memory of every kind, watched from outside -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// New memory, memory that grows, moves, is given back or mapped again, the page
// of zeros, pages of files and shared memory: each write is listed in its
// period. What is listed for certain was written.

// REQUIRES: uffd
// RUN: %known_sets --outside uffd --timed 20ms %s
// RUN: %known_sets --outside uffd --attach --timed 20ms %s

#include "known_times.h"

enum { ROUNDS = 12, PAGES = 64, STAMPS = 40 * ROUNDS };

static struct stamp *next_stamp;

static void put(volatile char *p) {
  stamp_begin(next_stamp, p, 1, 2);
  *p = (char)(*p + 1);
  stamp_end(next_stamp++);
}
static void look(const volatile char *p) {
  char value = *p;
  OPAQUE(value);
}

static char *map_at(unsigned n, size_t bytes, int flags, int fd) {
  char *p = (char *)(ARENA_BASE + n * (64 * MIB));
  require(mmap(p, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) ==
          p);
  return p;
}
/* The end of what is compared. At a boundary it is looked at last. */
static char *last;

/* Waits for a boundary, by what the engine does to a page: it protects it, or
 * clears its soft-dirty bit. */
static void next_period(void) {
#ifdef BY_SOFT_DIRTY
  const unsigned bit = 55, at_boundary = 0;
#else
  const unsigned bit = 57, at_boundary = 1;
#endif
  static int pagemap = -1;
  uint64_t entry;
  if (pagemap < 0)
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  put(last);
  do {
    usleep(1000);
    require(pread(pagemap, &entry, sizeof entry,
                  (off_t)((uintptr_t)last / PAGE * sizeof entry)) ==
            sizeof entry);
  } while ((entry >> bit & 1) != at_boundary);
}

/* As above, far from each other, and all of it between two stamps. */
static char *of_round(int round, unsigned n) {
  return (char *)(ARENA_BASE + n * (64 * MIB)) +
         (size_t)round * 2 * PAGES * PAGE;
}

int main(void) {
  char name[] = "/tmp/outside_memory.XXXXXX";
  int fd = mkstemp(name);
  static char page[4096] = {1};
  require(fd >= 0 && unlink(name) == 0);
  for (int i = 0; i < PAGES; ++i)
    require(write(fd, page, PAGE) == (ssize_t)PAGE);
  const int mine = MAP_PRIVATE | MAP_ANONYMOUS;

  char *lasting = map_at(0, PAGES * PAGE, mine, -1);
  char *file = map_at(1, PAGES * PAGE, MAP_PRIVATE, fd);
  char *shared = map_at(2, PAGES * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
  next_stamp = map_stamps(STAMPS);
  last = map_at(15, PAGE, mine, -1);
  put(last);
  for (int round = 0; round < ROUNDS; ++round) {
    /* Pages that are there, and a page of zeros that is only read. */
    put(lasting + round * PAGE);
    put(lasting + PAGE);
    look(lasting + (40 + round) * PAGE);
    /* It grows: the new memory is one mapping with the old. */
    char *more = lasting + (size_t)(PAGES + round) * PAGE;
    require(mmap(more, PAGE, PROT_READ | PROT_WRITE, mine | MAP_FIXED, -1, 0) ==
            more);
    if (round % 2)
      put(more);
    /* Of a file: read, and copied by a write. */
    look(file + round * PAGE);
    put(file + (20 + round) * PAGE);
    /* Shared. */
    look(shared + round * PAGE);
    put(shared + (20 + round) * PAGE);
    put(shared + 20 * PAGE);
#ifndef BY_SOFT_DIRTY
    /* The page goes, what was written stays, as if memory ran short. In a new
     * mapping nobody would know of it. */
    if (round)
      put(shared + (40 + round) * PAGE);
    require(madvise(shared + (40 + round) * PAGE, PAGE, MADV_DONTNEED) == 0);
#endif
    next_period();

    /* New memory, which is moved in a later period: a move is no write. */
    char *fresh = of_round(round, 4);
    require(mmap(fresh, PAGES * PAGE, PROT_READ | PROT_WRITE, mine | MAP_FIXED,
                 -1, 0) == fresh);
    put(fresh + 3 * PAGE);
    put(fresh + 5 * PAGE);
    look(fresh + 7 * PAGE);
    next_period();
    char *moved = of_round(round, 6);
    require(mremap(fresh, PAGES * PAGE, PAGES * PAGE,
                   MREMAP_MAYMOVE | MREMAP_FIXED, moved) == moved);
    next_period();
    put(moved + 5 * PAGE);
    put(moved + 9 * PAGE);
    next_period();

    /* Given back, and mapped again at the same place. */
    put(moved + 11 * PAGE);
    next_period();
    require(madvise(moved, PAGES * PAGE, MADV_DONTNEED) == 0);
    look(moved + 5 * PAGE);
    put(moved + 12 * PAGE);
    next_period();
    require(mmap(moved, PAGES * PAGE, PROT_READ | PROT_WRITE, mine | MAP_FIXED,
                 -1, 0) == moved);
    put(moved + 13 * PAGE);
    require(mprotect(moved, PAGES * PAGE, PROT_READ) == 0);
    next_period();
    require(mprotect(moved, PAGES * PAGE, PROT_READ | PROT_WRITE) == 0);
    put(moved + 13 * PAGE);
    next_period();

    /* The pages move away, and an empty mapping stays. */
    char *away = of_round(round, 8);
    require(mremap(moved, PAGES * PAGE, PAGES * PAGE,
                   MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                   away) == away);
    put(moved + 15 * PAGE);
    put(away + 16 * PAGE);
    next_period();
    put(moved + 16 * PAGE);
    put(away + 13 * PAGE);
    next_period();
    require(munmap(moved, PAGES * PAGE) == 0);
    require(munmap(away, PAGES * PAGE) == 0);
  }
  return 0;
}
