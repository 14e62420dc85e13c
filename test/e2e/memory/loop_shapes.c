/*===- loop_shapes.c - Loops of every shape touch what they touch ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

/* Tested at the top: possibly no iteration at all. */
static NOINLINE void up(int *p, size_t n) {
  for (size_t i = 0; i < n; ++i)
    p[i] += 1;
}
static NOINLINE void down(int *p, size_t n) {
  for (size_t i = n; i-- > 0;)
    p[i] += 1;
}
static NOINLINE void bottom_tested(char *p, size_t n, size_t stride) {
  do {
    *p = 1;
    p += stride;
  } while (--n);
}
static NOINLINE void strided(char *p, size_t n, size_t stride) {
  for (size_t i = 0; i < n; ++i)
    p[i * stride] = 1;
}
static NOINLINE void backward_strided(char *p, size_t n, size_t stride) {
  for (size_t i = 0; i < n; ++i)
    p[-(ptrdiff_t)(i * stride)] = 1;
}
static NOINLINE void plane(char *p, size_t rows, size_t columns, size_t pitch) {
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < columns; ++x)
      p[y * pitch + x] = 1;
}
static NOINLINE void triangle(char *p, size_t rows, size_t pitch) {
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < y; ++x)
      p[y * pitch + x * 64] = 1;
}
/* Ends that only the data know. */
static NOINLINE size_t length(const char *p) {
  const char *q = p;
  while (*q)
    ++q;
  return (size_t)(q - p);
}
static NOINLINE int *find(int *p, int value) {
  while (*p != value)
    ++p;
  return p;
}
static NOINLINE int sum_until_negative(const int *p, size_t n) {
  int total = 0;
  for (size_t i = 0; i < n; ++i) {
    if (p[i] < 0)
      break;
    total += p[i];
  }
  return total;
}
/* Some iterations touch, others do not. */
static NOINLINE void every_other_if(char *p, const char *when, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (when[i])
      p[i * 4096] = 1;
}
/* Loads that stay and stores that move, sharing a page or not. */
static NOINLINE void scale(float *p, const float *factor, size_t n) {
  for (size_t i = 0; i < n; ++i)
    p[i] *= *factor;
}
static NOINLINE void stencil(float *to, const float *from, size_t n) {
  for (size_t i = 1; i + 1 < n; ++i)
    to[i] = from[i - 1] + from[i] + from[i + 1];
}
struct item {
  short key;
  char pad[50];
  short value;
  char more[10];
};
static NOINLINE int fields(const struct item *p, size_t n) {
  int total = 0;
  for (size_t i = 0; i < n; ++i)
    total += p[i].key + p[i].value;
  return total;
}
/* A loop that makes calls: its marks may not run ahead over them. */
static NOINLINE void with_call(char *p, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    p[i * 4096] = 1;
    expect_write(p + i * 4096, 1);
    end_period();
  }
}
static NOINLINE void copy_out(uint64_t *to, size_t n, const uint64_t *index) {
  for (size_t i = 0; i < n; ++i)
    to[index[i]] = i;
}

int main(void) {
  char *a = arena(0, 16 * MIB);
  int *numbers = (int *)(a + 4092);

  /* Around the chunk sizes that marking ahead would like. */
  static const size_t counts[] = {0,   1,   2,   3,   511,  512,  513, 1023,
                                  1024, 1025, 1535, 1536, 2048, 5000, 100000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    size_t n = counts[i];
    up(numbers, n), expect_both(numbers, 4 * n), end_period();
    down(numbers, n), expect_both(numbers, 4 * n), end_period();
  }
  static const size_t strides[] = {1, 60, 64, 100, 4095, 4096, 4097, 12288};
  for (size_t i = 0; i < sizeof strides / sizeof *strides; ++i)
    for (size_t n = 1; n <= 700; n += 233) {
      size_t stride = strides[i];
      for (size_t k = 0; k < n; ++k)
        expect_write(a + 4000 + k * stride, 1);
      strided(a + 4000, n, stride), end_period();
      for (size_t k = 0; k < n; ++k)
        expect_write(a + 4000 + k * stride, 1);
      bottom_tested(a + 4000, n, stride), end_period();
      char *top = a + 15 * MIB;
      for (size_t k = 0; k < n; ++k)
        expect_write(top - k * stride, 1);
      backward_strided(top, n, stride), end_period();
    }
  strided(a, 0, 4096), end_period();

  plane(a + 50, 9, 4100, 20480);
  for (size_t y = 0; y < 9; ++y)
    expect_write(a + 50 + y * 20480, 4100);
  end_period();
  triangle(a, 20, 20000);
  for (size_t y = 0; y < 20; ++y)
    for (size_t x = 0; x < y; ++x)
      expect_write(a + y * 20000 + x * 64, 1);
  end_period();

  memset(a, 'x', 9000), a[9000] = 0;
  expect_write(a, 9001), end_period();
  require_equal(length(a + 10), 8990);
  expect_read(a + 10, 8991), end_period();
  require_equal(length(a + 9000), 0);
  expect_read(a + 9000, 1), end_period();

  memset(a, 0, MIB), expect_write(a, MIB), end_period();
  int *wanted = (int *)(a + 3 * PAGE + 4088);
  *wanted = 77, expect_write(wanted, 4), end_period();
  require(find((int *)a, 77) == wanted);
  expect_read(a, 3 * PAGE + 4092), end_period();
  *wanted = -1, expect_write(wanted, 4), end_period();
  require_equal(sum_until_negative((int *)a, 100000), 0);
  expect_read(a, 3 * PAGE + 4092), end_period();
  require_equal(sum_until_negative((int *)a, 1000), 0);
  expect_read(a, 4000), end_period();

  char when[64] = {0};
  when[3] = when[17] = when[63] = 1;
  every_other_if(a, when, 64);
  expect_write(a + 3 * PAGE, 1), expect_write(a + 17 * PAGE, 1);
  expect_write(a + 63 * PAGE, 1), end_period();

  float *reals = (float *)(a + 64 * PAGE);
  scale(reals, (float *)(a + 8), 3000);
  expect_read(a + 8, 4), expect_both(reals, 12000), end_period();
  scale(reals, (float *)(a + 8), 0);
  end_period();
  stencil(reals, (float *)(a + 16), 2000);
  expect_read(a + 16, 8000), expect_write(reals + 1, 1998 * 4), end_period();
  stencil(reals, (float *)(a + 16), 2);
  end_period();

  const struct item *items = (const struct item *)(a + PAGE - 32);
  require_equal(fields(items, 130), 0);
  for (int i = 0; i < 130; ++i) {
    expect_read(&items[i].key, 2);
    expect_read(&items[i].value, 2);
  }
  end_period();
  with_call(a, 20);

  uint64_t index[40];
  for (int i = 0; i < 40; ++i) {
    index[i] = (uint64_t)((i * 7919) % 1000) * 512 + 511;
    expect_write((uint64_t *)a + index[i], 8);
  }
  copy_out((uint64_t *)a, 40, index), end_period();
  return 0;
}
