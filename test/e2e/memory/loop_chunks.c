/*===- loop_chunks.c - Chunks of iterations mark neither more nor less -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * Loops marked a chunk at a time (pass/LoopChunks.h), at the places where one
 * could mark too much or too little: trip counts around a chunk's length, first
 * and last bytes around a granule's border, upward and downward, elements of
 * one byte to many, several streams at once. Each case is a period of its own.
 *
 *===-----------------------------------------------------------------------===*/

// RUN: %known_sets %s
// RUN: %known_sets --ways O0/site:thread,O2/site:process,O3/rw-site:thread %s
// RUN: %known_sets --flag=-fno-vectorize --flag=-fno-unroll-loops \
// RUN:   --ways O2:thread,O3/access:process,O2/rw/6:process,O3/write/12/near:thread,O2/rw-site:process %s

#include "known_sets.h"

struct wide {
  char bytes[40];
};
struct odd {
  char head[3];
  int field;
  char tail[90];
} __attribute__((packed));

#define ELEMENTS(type, name, touch)                                            \
  static NOINLINE void name##_up(type *p, size_t n) {                          \
    for (size_t i = 0; i < n; ++i)                                             \
      touch;                                                                   \
  }                                                                            \
  static NOINLINE void name##_down(type *p, size_t n) {                        \
    for (size_t i = n; i-- > 0;)                                               \
      touch;                                                                   \
  }

ELEMENTS(volatile char, never_chunked, p[i] = 1)
ELEMENTS(char, byte, p[i] = (char)(i * 7))
ELEMENTS(long, word, p[i] = (long)i)
ELEMENTS(struct wide, wide, p[i].bytes[39] = 1)
ELEMENTS(struct odd, odd, p[i].field = (int)i)

/* Two streams of one array, and one of another, read and written. */
static NOINLINE void smooth(long *to, const long *from, size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = from[i] + from[i + 2];
}
/* Goes in opposite directions. */
static NOINLINE void reverse(long *restrict to, const long *restrict from,
                             size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[n - 1 - i] = from[i];
}
/* A stream that stays, one that moves. */
static NOINLINE void total(const long *from, long *restrict sum, size_t n) {
  for (size_t i = 0; i < n; ++i)
    *sum += from[i] ^ (long)i;
}
/* Known trip count: one chunk, or many. */
static NOINLINE void hundred(long *p) {
  for (int i = 0; i < 100; ++i)
    p[i * 5] ^= i;
}
static NOINLINE void thousands(long *p) {
  for (int i = 0; i < 5000; ++i)
    p[i * 2] = i;
}
/* Some iterations do more. */
static NOINLINE void now_and_then(char *p, const char *when, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (when[i])
      p[i] = 1;
}
/* Counts downwards in a narrow type. */
static NOINLINE void narrow(int *p, unsigned short n) {
  while (n--)
    p[n] = n;
}

/* n accesses of `bytes` bytes, `stride` apart. One statement for 64 bytes, the
 * smallest granule, will do. */
static void expect_steps(const char *p, size_t n, size_t stride, size_t bytes,
                         int reads) {
  uintptr_t stated = 0; /* the last of these that was */
  for (size_t i = 0; i < n; ++i, p += stride) {
    uintptr_t last = ((uintptr_t)p + bytes - 1) / 64;
    if (last == stated)
      continue;
    stated = last;
    expect_write(p, bytes);
    if (reads)
      expect_read(p, bytes);
  }
}

/* Each call is a case: the element's first byte touched lies `at` the element. */
static void both_ways(char *base, size_t offset, size_t n) {
#define CASE(type, name, at, bytes)                                            \
  do {                                                                         \
    char *p = base + offset;                                                   \
    OPAQUE(p);                                                                 \
    name##_up((type *)p, n);                                                   \
    expect_steps(p + (at), n, sizeof(type), bytes, 0);                         \
    end_period();                                                              \
    name##_down((type *)p, n);                                                 \
    expect_steps(p + (at), n, sizeof(type), bytes, 0);                         \
    end_period();                                                              \
  } while (0)
  CASE(char, byte, 0, 1);
  if (offset % 8 == 0)
    CASE(long, word, 0, 8);
  CASE(struct wide, wide, 39, 1);
  CASE(struct odd, odd, 3, 4);
}

int main(void) {
  char *a = arena(0, 4 * MIB), *b = arena(1, 4 * MIB);
  end_period();

  static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 43, 512, 513, 1025};
  static const size_t offsets[] = {0, PAGE - 8, PAGE - 1, PAGE - 41};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; ++o)
      both_ways(a, offsets[o], counts[c]);

  static const size_t lengths[] = {0, 1, 2, 6, 510, 511, 512, 513, 1534, 4096};
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
    size_t n = lengths[l];
    OPAQUE(n);
    smooth((long *)(a + PAGE - 16), (long *)(b + 8), n);
    if (n) {
      expect_write(a + PAGE - 16, n * 8);
      expect_read(b + 8, (n + 2) * 8);
    }
    end_period();
    reverse((long *)(a + PAGE - 16), (long *)(b + 8), n);
    expect_write(a + PAGE - 16, n * 8);
    expect_read(b + 8, n * 8);
    end_period();
    total((long *)(a + 24), (long *)(b + 5 * PAGE), n);
    expect_read(a + 24, n * 8);
    if (n)
      expect_both(b + 5 * PAGE, 8);
    end_period();
    narrow((int *)(a + PAGE - 4), (unsigned short)n);
    expect_write(a + PAGE - 4, n * 4);
    end_period();
  }

  hundred((long *)(a + PAGE - 8));
  expect_steps(a + PAGE - 8, 100, 40, 8, 1);
  end_period();
  thousands((long *)(a + PAGE - 8));
  expect_steps(a + PAGE - 8, 5000, 16, 8, 0);
  end_period();

  b[2 * PAGE + 17] = 1;
  expect_write(b + 2 * PAGE + 17, 1);
  end_period();
  now_and_then(a, b, 4 * PAGE);
  expect_read(b, 4 * PAGE);
  expect_write(a + 2 * PAGE + 17, 1);
  end_period();

  never_chunked_up(a, 10);
  expect_write(a, 10);
  never_chunked_down(a + PAGE - 5, 10);
  expect_write(a + PAGE - 5, 10);
  end_period();
  return 0;
}
