//===- stencil.c - Heat spreading over a square plate ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each point becomes a mean of itself and its four neighbours: five loads, of
// which three lie in other rows and so in other pages, to a store.

#include "kernel.h"

static KERNEL_FUNCTION void spread(double *restrict to,
                                   const double *restrict from, uint64_t side) {
  for (uint64_t row = 1; row + 1 < side; ++row) {
    const double *middle = from + row * side;
    const double *above = middle - side;
    const double *below = middle + side;
    double *out = to + row * side;
    for (uint64_t column = 1; column + 1 < side; ++column)
      out[column] = 0.5 * middle[column] +
                    0.125 * (above[column] + below[column] +
                             middle[column - 1] + middle[column + 1]);
  }
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  const uint64_t side = arguments.size;
  double *from = allocate(side * side, sizeof(double));
  double *to = allocate(side * side, sizeof(double));
  uint64_t random = 2;
  for (uint64_t i = 0; i < side * side; ++i)
    from[i] = to[i] = (double)random_below(&random, 1000);

  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    spread(to, from, side);
    double *old = from;
    from = to;
    to = old;
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < side * side; i += 61)
    sum = mix_double(sum, from[i]);
  print_checksum("stencil", sum);
  return 0;
}
