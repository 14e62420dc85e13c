//===- triad.c - Three arrays in a row: a = b + s * c ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector loads and stores at unit stride, nothing else: the most accesses an
// instruction, each page touched by hundreds of them in a row.

#include "kernel.h"

static KERNEL_FUNCTION void triad(double *restrict a, const double *restrict b,
                                  const double *restrict c, double s,
                                  uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  const uint64_t count = arguments.size;
  double *a = allocate(count, sizeof(double));
  double *b = allocate(count, sizeof(double));
  double *c = allocate(count, sizeof(double));
  uint64_t random = 1;
  for (uint64_t i = 0; i < count; ++i) {
    b[i] = (double)random_below(&random, 1000);
    c[i] = (double)random_below(&random, 1000) / 8;
  }

  uint64_t sum = 0;
  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    triad(a, b, c, 1 + (double)round / 16, count);
    sum = mix_double(sum, a[round * 4099 % count]);
  }
  for (uint64_t i = 0; i < count; i += 61)
    sum = mix_double(sum, a[i]);
  print_checksum("triad", sum);
  return 0;
}
