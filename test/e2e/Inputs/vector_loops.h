/*===- vector_loops.h - Loops that the vectoriser takes, and their sets ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

static NOINLINE void scale(float *p, size_t n, float factor) {
  for (size_t i = 0; i < n; ++i)
    p[i] *= factor;
}
static NOINLINE void triad(double *restrict to, const double *restrict x,
                           const double *restrict y, size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = x[i] + 3 * y[i];
}
static NOINLINE int sum_bytes(const unsigned char *p, size_t n) {
  int total = 0;
  for (size_t i = 0; i < n; ++i)
    total += p[i];
  return total;
}
/* One vector body with a mask instead of a scalar tail. */
static NOINLINE void masked_tail(int *restrict to, const int *restrict from,
                                 size_t n) {
#pragma clang loop vectorize(enable) vectorize_predicate(enable)
  for (size_t i = 0; i < n; ++i)
    to[i] = from[i] + 1;
}
/* Stores, and loads, for some lanes only. */
static NOINLINE void conditional_store(int *restrict to,
                                       const int *restrict when, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (when[i] > 0)
      to[i] = 1;
}
static NOINLINE int conditional_load(const int *restrict from,
                                     const int *restrict when, size_t n) {
  int total = 0;
  for (size_t i = 0; i < n; ++i)
    if (when[i] > 0)
      total += from[i];
  return total;
}
static NOINLINE int gather(const int *restrict table,
                           const int *restrict index, size_t n) {
  int total = 0;
  for (size_t i = 0; i < n; ++i)
    total += table[index[i]];
  return total;
}
static NOINLINE void scatter(int *restrict table, const int *restrict index,
                             size_t n) {
#pragma clang loop vectorize(enable)
  for (size_t i = 0; i < n; ++i)
    table[index[i]] = 7;
}
static NOINLINE void strided(double *restrict to, const double *restrict from,
                             size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = from[i * 33];
}
static NOINLINE void interleaved(int *p, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    p[2 * i] += 1;
    p[2 * i + 1] += 2;
  }
}
static NOINLINE void backward(int *p, size_t n) {
  for (size_t i = n; i-- > 0;)
    p[i] = (int)i;
}

static void vector_loops(char *a, char *b, char *c) {
  static const size_t counts[] = {0, 1, 7, 8, 15, 16, 17, 33, 100, 1023, 5000};
  /* Starts at an element's alignment and at no vector's. */
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
    for (size_t start = PAGE - 40; start <= PAGE; start += 8) {
      size_t n = counts[k];
      scale((float *)(a + start), n, 2);
      expect_both(a + start, 4 * n), end_period();
      triad((double *)(a + start), (double *)(b + start + 8),
            (double *)(c + start - 8), n);
      expect_write(a + start, 8 * n), expect_read(b + start + 8, 8 * n);
      expect_read(c + start - 8, 8 * n), end_period();
      int total = sum_bytes((unsigned char *)(a + start), n);
      OPAQUE(total);
      expect_read(a + start, n), end_period();
      masked_tail((int *)(a + start), (int *)(b + start), n);
      expect_write(a + start, 4 * n), expect_read(b + start, 4 * n);
      end_period();
      strided((double *)(a + start), (double *)(b + start), n);
      expect_write(a + start, 8 * n);
      for (size_t i = 0; i < n; ++i)
        expect_read(b + start + i * 33 * 8, 8);
      end_period();
      interleaved((int *)(a + start), n);
      expect_both(a + start, 8 * n), end_period();
      backward((int *)(a + start), n);
      expect_write(a + start, 4 * n), end_period();
    }

  /* Whole pages without an enabled lane, and pages with just one. */
  size_t n = 20000;
  int *when = (int *)(b + 4), *data = (int *)(a + 8);
  memset(b, 0, 4 * n + 4), expect_write(b, 4 * n + 4), end_period();
  static const size_t enabled[] = {0,    5,     1021,  1022, 4093,
                                   4094, 12345, 12346, 19999};
  for (size_t k = 0; k < sizeof enabled / sizeof *enabled; ++k) {
    when[enabled[k]] = 1;
    expect_write(&when[enabled[k]], 4);
  }
  end_period();
  for (size_t k = 0; k < sizeof enabled / sizeof *enabled; ++k)
    expect_write(&data[enabled[k]], 4);
  conditional_store(data, when, n);
  expect_read(when, 4 * n), end_period();
  for (size_t k = 0; k < sizeof enabled / sizeof *enabled; ++k)
    expect_read(&data[enabled[k]], 4);
  int total = conditional_load(data, when, n);
  require_equal(total, sizeof enabled / sizeof *enabled);
  expect_read(when, 4 * n), end_period();

  int *index = (int *)(c + 20);
  for (int i = 0; i < 100; ++i) {
    index[i] = (i * 7919 + 1) % 1009 * 1024 - 3;
    expect_write(&index[i], 4);
  }
  end_period();
  for (int i = 0; i < 100; ++i)
    expect_read(&data[index[i]], 4);
  total = gather(data, index, 100);
  OPAQUE(total);
  expect_read(index, 400), end_period();
  for (int i = 0; i < 100; ++i)
    expect_write(&data[index[i]], 4);
  scatter(data, index, 100);
  expect_read(index, 400), end_period();
}
