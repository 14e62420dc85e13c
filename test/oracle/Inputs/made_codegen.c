/*===- made_codegen.c - Code from which code generation makes accesses -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

/* A jump table. */
static NOINLINE int jump(int n, const int *p) {
  switch (n) {
  case 0:
    return p[0];
  case 1:
    return p[1] * 3;
  case 2:
    return p[2] - p[1];
  case 3:
    return p[3] / 7;
  case 4:
    return p[4] ^ p[0];
  case 5:
    return p[5] << 2;
  case 6:
    return (int)sqrt(p[6]);
  default:
    return abs(p[7]);
  }
}

/* A table made by the optimiser. Loads from it are marked. */
static NOINLINE const char *lookup(int n) {
  switch (n) {
  case 0:
    return "zero";
  case 1:
    return "one";
  case 2:
    return "two";
  case 3:
    return "three";
  }
  return "many";
}

/* Constant pools: of numbers, of vectors. */
static NOINLINE double numbers(const double *p, int n) {
  double sum = 0.7853981;
  for (int i = 0; i < n; ++i)
    sum = sum * 1.000123 + p[i] * 3.75e-3 - fabs(p[i]);
  return sum;
}
static NOINLINE void vectors(uint32_t *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i] = (p[i] & 0x0f0f0f0f) * 2654435761u + (uint32_t)i;
}
static NOINLINE float convert(const uint64_t *p, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (float)p[i];
  return sum;
}

/* The thread pointer, and a large frame. */
static _Thread_local int counter[1500];
static NOINLINE int local_storage(int i) {
  counter[i % 1500] += i;
  errno = 0;
  return counter[(i * 7) % 1500];
}
static NOINLINE int large_frame(int n) {
  char buffer[20000];
  memset(buffer, n, sizeof buffer);
  for (int i = 0; i < n; ++i)
    buffer[i * 97 % (int)sizeof buffer] ^= (char)i;
  int sum = 0;
  for (size_t i = 0; i < sizeof buffer; i += 64)
    sum += buffer[i];
  return n > 0 ? sum + large_frame(n - 1) : sum;
}

/* Spills, and arguments on the stack. */
static NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, int h,
                         int i, int j, const int *p) {
  return a * p[0] + b * p[1] + c * p[2] + d * p[3] + e * p[4] + f * p[5] +
         g * p[6] + h * p[7] + i * p[8] + j * p[9];
}
static NOINLINE int various(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return (int)sum;
}

/* Comparisons that code generation would expand, and choices between loads. */
struct key {
  char bytes[16];
};
static NOINLINE int same(const struct key *a, const struct key *b) {
  return memcmp(a, b, sizeof *a) == 0;
}
static NOINLINE int choose(const int *a, const int *b, int which) {
  int x = *a, y = *b;
  return which ? x : y;
}
static NOINLINE int narrow(const uint64_t *p, uint32_t mask) {
  return (int)((*p >> 8) & 0xff) + (int)(*p & mask);
}
static NOINLINE void flip(uint64_t *p, unsigned bit) { *p ^= 1ull << (bit & 63); }

int main(void) {
  int *ints = malloc(10000 * sizeof *ints);
  double *doubles = malloc(5000 * sizeof *doubles);
  uint64_t *words = malloc(5000 * sizeof *words);
  struct key *keys = malloc(600 * sizeof *keys);
  long sum = 0;
  for (int i = 0; i < 10000; ++i)
    ints[i] = i * 31 % 1009;
  for (int i = 0; i < 5000; ++i)
    doubles[i] = i / 3.0, words[i] = (uint64_t)i << (i % 40);
  for (int i = 0; i < 600; ++i)
    memset(&keys[i], i % 50, sizeof keys[i]);
  for (int i = 0; i < 200; ++i) {
    sum += jump(i % 8, ints + i * 40) + (long)strlen(lookup(i % 6));
    sum += (long)numbers(doubles + i * 20, 20);
    vectors((uint32_t *)ints + i * 30, 30);
    sum += (long)convert(words + i * 20, 20);
    sum += local_storage(i * 11) + large_frame(i % 3);
    sum += many(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, ints + i);
    sum += various(4, i, i / 2.0, 3, 4.5);
    sum += same(&keys[i], &keys[i * 3 % 600]);
    sum += choose(ints + i, ints + 5000 + i * 20, i % 3 == 0);
    sum += narrow(words + i * 16, 0xffff);
    flip(words + i * 8, (unsigned)i);
  }
  printf("%ld\n", sum);
  return 0;
}
