/*===- mapped_memory.h - Mappings at known places, for engines' tests ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef MAPPED_MEMORY_H
#define MAPPED_MEMORY_H

#include "known_sets.h"

#include <fcntl.h>

static void put(char *p) { *(volatile char *)p += 1; }

/* At the n-th GiB of the arena. */
static char *map(unsigned n, size_t bytes, int flags, int fd) {
  char *want = (char *)ARENA_BASE + n * GIB;
  char *got = (char *)mmap(want, bytes, PROT_READ | PROT_WRITE,
                           flags | MAP_FIXED_NOREPLACE, fd, 0);
  require(got == want);
  return got;
}

/* Moves pages to the 6th GiB of the arena, and leaves their mapping empty. */
static inline char *move_leaving(char *from, size_t bytes) {
  char *to = (char *)ARENA_BASE + 6 * GIB;
  require(mremap(from, bytes, bytes,
                 MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) == to);
  return to;
}

/* A file of 16 pages, all ones, without a name. */
static int file_of_ones(void) {
  char name[] = "mapped_memory.XXXXXX";
  int fd = mkstemp(name);
  require(fd >= 0 && unlink(name) == 0);
  static char content[16 * PAGE];
  memset(content, 1, sizeof content);
  require(write(fd, content, sizeof content) == (ssize_t)sizeof content);
  return fd;
}

#endif /* MAPPED_MEMORY_H */
