/*===- allocator.c - What calloc and realloc touch, and sorting -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O0,O2/rw/6 --flag=-fno-builtin %s

#include "known_sets.h"

#include <malloc.h>

static int by_value(const void *p, const void *q) {
  const int *x = (const int *)p, *y = (const int *)q;
  return (*x > *y) - (*x < *y);
}
static int by_first(const void *p, const void *q) {
  return *(const char *)p - *(const char *)q;
}

static void watch(void *p, size_t bytes) {
  char *from = (char *)((uintptr_t)p & -PAGE);
  char *to = (char *)(((uintptr_t)p + bytes + PAGE - 1) & -PAGE);
  require_status(pagetide_watch(from, (size_t)(to - from)), PAGETIDE_OK);
}
static void unwatch(void *p, size_t bytes) {
  char *from = (char *)((uintptr_t)p & -PAGE);
  char *to = (char *)(((uintptr_t)p + bytes + PAGE - 1) & -PAGE);
  require_status(pagetide_unwatch(from, (size_t)(to - from)), PAGETIDE_OK);
}

/* Where the next block of this size will be: the heap is quiet, and a block that
 * is freed comes back. */
static void *next_block(size_t bytes) {
  void *p = malloc(bytes);
  OPAQUE(p);
  free(p);
  return p;
}

static void blocks(void) {
  enum { BIG = 50000, BIGGER = 90000 };
  void *keep = malloc(BIGGER * 3); /* room in the heap */
  require(malloc_usable_size(keep) >= BIGGER * 3);
  mallopt(M_MMAP_THRESHOLD, 1 << 20), mallopt(M_TRIM_THRESHOLD, 64 << 20);
  void *room = malloc(BIGGER * 4), *fence = malloc(100);
  free(room); /* below the fence: the heap's end stays */
  char *expected = (char *)next_block(BIG);
  watch(expected, 4 * BIGGER), end_period();
  char *p = (char *)calloc(BIG, 1);
  require(p == expected);
  expect_write(p, malloc_usable_size(p)), end_period();
  /* A second block behind the first: growing must move it. */
  char *wall = (char *)malloc(BIGGER);
  OPAQUE(wall);
  size_t bytes = malloc_usable_size(p);
  char *q = (char *)realloc(p, BIGGER);
  require(q && q != p);
  expect_read(p, bytes), expect_write(q, bytes), end_period();
  char *same = (char *)realloc(q, BIGGER - 100);
  require(same == q); /* nothing is moved */
  end_period();
  unwatch(expected, 4 * BIGGER);
  free(q), free(wall), free(fence), free(keep);
  /* A block that is a mapping of its own: fresh, not cleared. */
  enum { HUGE = 4 << 20 };
  expected = (char *)next_block(HUGE);
  p = (char *)calloc(HUGE, 1);
  watch(p, HUGE - PAGE);
  end_period();
  q = (char *)realloc(p, 2 * (size_t)HUGE);
  require(q != NULL);
  end_period();
  free(q);
}

static void sorting(void) {
  int *v = (int *)arena(0, 64 * PAGE);
  enum { N = 10000 };
  /* The first page is in order, the others are not. */
  for (int i = 0; i < N; ++i)
    v[i] = i < 1024 ? i : N - i + 1024;
  expect_write(v, sizeof(int) * N), end_period();
  qsort(v, N, sizeof(int), by_value);
  expect_read(v, sizeof(int) * N);
  expect_write(v + 1024, sizeof(int) * (N - 1024));
  expect_at(known_period_, thread_id(), v, PAGE, "mw"), end_period();
  for (int i = 1; i < N; ++i)
    require(v[i - 1] <= v[i]);
  expect_read(v, sizeof(int) * N), end_period();
  /* Of large elements only what the comparison looks at is read for certain. */
  char *big = arena(1, 64 * PAGE);
  qsort(big, 4, 4 * PAGE, by_first);
  for (int i = 0; i < 4; ++i)
    expect_read(big + i * 4 * (ptrdiff_t)PAGE, 1);
  expect_at(known_period_, thread_id(), big, 16 * PAGE, "mr");
  expect_at(known_period_, thread_id(), big, 16 * PAGE, "mw"), end_period();
}

int main(void) {
  sorting();
  blocks();
  return 0;
}
