/*===- memory_ranges.c - memcpy, memmove and memset, whatever they become --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site %s

#include "known_sets.h"

/* Called by name: the compiler makes an intrinsic of them, and of that a few
 * stores, a loop or a call, as it likes. */
static NOINLINE void copy(char *to, const char *from, size_t n) {
  memcpy(to, from, n);
}
static NOINLINE void move(char *to, const char *from, size_t n) {
  memmove(to, from, n);
}
static NOINLINE void set(char *to, int value, size_t n) {
  memset(to, value, n);
}
/* Called through a pointer: libc's own, by way of the runtime. */
static void *(*volatile libc_memcpy)(void *, const void *, size_t) = memcpy;
static void *(*volatile libc_memmove)(void *, const void *, size_t) = memmove;
static void *(*volatile libc_memset)(void *, int, size_t) = memset;

static NOINLINE void copy_constant(char *to, const char *from) {
  memcpy(to, from, 24);
}
static NOINLINE void copy_many(char *to, const char *from) {
  memcpy(to, from, 5000);
}
static NOINLINE void clear_constant(char *to) { memset(to, 0, 40); }
static NOINLINE void set_constant(char *to) { memset(to, 7, 9000); }
static NOINLINE void move_constant(char *to, const char *from) {
  memmove(to, from, 48);
}
/* Loops that are recognised as memset and memcpy at -O2. */
static NOINLINE void loop_set(char *to, size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = 0;
}
static NOINLINE void loop_copy(char *restrict to, const char *restrict from,
                               size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = from[i];
}

/* The bytes must arrive too: a range moved in steps must not be torn when it
 * overlaps itself. */
static void number_bytes(char *p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; ++i)
    p[i] = (char)((i * 2654435761u + seed) >> 13);
}

int main(void) {
  char *a = arena(0, 4 * MIB), *b = arena(1, 4 * MIB);

  static const size_t sizes[] = {1,    2,         7,         8,         31,
                                 63,   64,        65,        4095,      4096,
                                 4097, 8192,      65535,     65536,     65537,
                                 MIB,  MIB + 100, 3 * MIB - 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    size_t n = sizes[i];
    char *to = a + 3 * PAGE - 5, *from = b + 7 * PAGE + 4090;
    copy(to, from, n);
    expect_write(to, n), expect_read(from, n), end_period();
    libc_memcpy(to, from, n);
    expect_write(to, n), expect_read(from, n), end_period();
    move(from, to, n);
    expect_write(from, n), expect_read(to, n), end_period();
    libc_memmove(from, to, n);
    expect_write(from, n), expect_read(to, n), end_period();
    set(to, 1, n);
    expect_write(to, n), end_period();
    libc_memset(to, 2, n);
    expect_write(to, n), end_period();
    loop_set(to, n);
    expect_write(to, n), end_period();
    loop_copy(to, from, n);
    expect_write(to, n), expect_read(from, n), end_period();
  }

  /* No byte: no page, at whatever address. */
  copy(a + PAGE, b + PAGE, 0);
  move(a + PAGE, b + PAGE, 0);
  set(a + PAGE, 1, 0);
  libc_memcpy(a + PAGE, b + PAGE, 0);
  libc_memmove(a + PAGE, b + PAGE, 0);
  libc_memset(a + PAGE, 1, 0);
  loop_set(a + PAGE, 0);
  loop_copy(a + PAGE, b + PAGE, 0);
  end_period();

  /* Exactly up to the end of a page, and one byte further. */
  set(a + PAGE, 1, PAGE), expect_write(a + PAGE, PAGE), end_period();
  set(a + PAGE, 1, PAGE + 1), expect_write(a + PAGE, PAGE + 1), end_period();
  copy_constant(a + PAGE - 24, b + PAGE - 23);
  expect_write(a + PAGE - 24, 24), expect_read(b + PAGE - 23, 24), end_period();
  copy_many(a + 100, b + 200);
  expect_write(a + 100, 5000), expect_read(b + 200, 5000), end_period();
  clear_constant(a + PAGE - 8), expect_write(a + PAGE - 8, 40), end_period();
  set_constant(a + 1), expect_write(a + 1, 9000), end_period();
  move_constant(a + PAGE - 10, a + PAGE - 20);
  expect_write(a + PAGE - 10, 48), expect_read(a + PAGE - 20, 48), end_period();

  /* Overlapping both ways, over several steps of 64 KiB. */
  for (int way = 0; way < 4; ++way) {
    size_t n = 300 * KIB + 11;
    char *low = a + 123, *high = a + 123 + (way & 1 ? 70 * KIB : 37);
    char *to = way & 2 ? low : high, *from = way & 2 ? high : low;
    number_bytes(a, MIB, way);
    char *before = (char *)malloc(n);
    memcpy(before, from, n);
    expect_write(a, MIB), expect_read(from, n);
    if (way & 1)
      move(to, from, n);
    else
      libc_memmove(to, from, n);
    expect_write(to, n);
    require(memcmp(to, before, n) == 0);
    expect_read(to, n);
    free(before);
    end_period();
  }
  return 0;
}
