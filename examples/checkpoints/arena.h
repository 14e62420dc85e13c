/*===- arena.h - Memory that is at one address in every run -----------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * An allocator whose blocks, and whose own state, are in one region. A restart
 * maps the region at the same address, so that pointers within it stay valid.
 * It is for one thread.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_EXAMPLES_ARENA_H
#define PAGETIDE_EXAMPLES_ARENA_H

#include "examples.h"

#include <sys/mman.h>

enum { ARENA_REGION = 1, ARENA_ROWS = 40, ARENA_SIZES = 8 };

struct arena {
  size_t used, capacity; /* bytes, this structure included */
  void *root;            /* where the program finds its data after a restart */
  void *free_blocks[ARENA_ROWS][ARENA_SIZES]; /* lists, by size */
};

/* 16 TiB: neither the kernel nor the runtime put anything there. */
static struct arena *const arena = (struct arena *)0x100000000000;

static inline void arena_map(size_t capacity) {
  void *mapped = mmap(
      arena, capacity, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != arena) {
    perror("mmap of the arena, at its address");
    exit(1);
  }
  arena->used = (sizeof *arena + 63) / 64 * 64;
  arena->capacity = capacity;
}

/* The list of free blocks of a size, which is rounded up: by a quarter at most,
 * and to a multiple of 16. */
static inline void **arena_list(size_t *bytes) {
  size_t unit = 16, row = 0;
  for (; *bytes > unit * ARENA_SIZES; unit *= 2)
    ++row;
  const size_t units = *bytes == 0 ? 1 : (*bytes + unit - 1) / unit;
  *bytes = units * unit;
  return &arena->free_blocks[row][units - 1];
}

/* NULL: the arena is full. */
static inline void *arena_allocate(size_t bytes) {
  if (bytes > arena->capacity)
    return NULL;
  void **list = arena_list(&bytes);
  void *block = *list;
  if (block) {
    *list = *(void **)block;
    return block;
  }
  if (bytes > arena->capacity - arena->used)
    return NULL;
  block = (char *)arena + arena->used;
  arena->used += bytes;
  return block;
}

static inline void arena_free(void *block, size_t bytes) {
  void **list = arena_list(&bytes);
  *(void **)block = *list;
  *list = block;
}

/* The region grows with what is used. To be called before each save. */
static inline void arena_protect(pagetide_checkpoint *checkpoint) {
  const size_t pages = (arena->used + 4095) / 4096;
  must(pagetide_checkpoint_protect(checkpoint, ARENA_REGION, arena,
                                   pages * 4096));
}

/* Whether there was something to go on from. */
static inline int arena_restore(pagetide_checkpoint *checkpoint) {
  size_t bytes;
  const int status =
      pagetide_checkpoint_saved_bytes(checkpoint, 0, ARENA_REGION, &bytes);
  if (status == PAGETIDE_CHECKPOINT_NONE)
    return 0;
  must(status);
  must(pagetide_checkpoint_protect(checkpoint, ARENA_REGION, arena, bytes));
  must(pagetide_checkpoint_restore(checkpoint, 0, NULL));
  return 1;
}

#endif /* PAGETIDE_EXAMPLES_ARENA_H */
