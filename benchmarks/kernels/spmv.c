//===- spmv.c - A sparse matrix times a vector, again and again -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in compressed form. Half of a row's columns lie near its diagonal, half
// anywhere: gathers, whose pages no loop bound tells.

#include "kernel.h"

enum { kEntriesPerRow = 12, kBand = 64 };

struct matrix {
  uint64_t rows;
  uint64_t *first; // of each row, and one more
  uint32_t *column;
  double *value;
};

static struct matrix make_matrix(uint64_t rows) {
  struct matrix m;
  m.rows = rows;
  m.first = allocate(rows + 1, sizeof(*m.first));
  m.column = allocate(rows * kEntriesPerRow, sizeof(*m.column));
  m.value = allocate(rows * kEntriesPerRow, sizeof(*m.value));
  uint64_t random = 3;
  uint64_t entry = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    m.first[row] = entry;
    // Rows of different lengths: 4 fewer to none fewer than the most.
    const uint64_t entries = kEntriesPerRow - random_below(&random, 5);
    for (uint64_t i = 0; i < entries; ++i, ++entry) {
      const uint64_t column = i % 2 ? random_below(&random, rows)
                                    : row + random_below(&random, kBand);
      m.column[entry] = (uint32_t)(column % rows);
      m.value[entry] = (double)random_below(&random, 1000) / 1000;
    }
  }
  m.first[rows] = entry;
  return m;
}

static KERNEL_FUNCTION void multiply(double *restrict y, const struct matrix *m,
                                     const double *restrict x) {
  for (uint64_t row = 0; row < m->rows; ++row) {
    double sum = 0;
    for (uint64_t i = m->first[row]; i < m->first[row + 1]; ++i)
      sum += m->value[i] * x[m->column[i]];
    // A mean, so that no round makes the numbers grow.
    y[row] = sum / kEntriesPerRow + 1;
  }
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  const struct matrix m = make_matrix(arguments.size);
  double *x = allocate(m.rows, sizeof(double));
  double *y = allocate(m.rows, sizeof(double));
  for (uint64_t i = 0; i < m.rows; ++i)
    x[i] = 1;

  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    multiply(y, &m, x);
    double *old = x;
    x = y;
    y = old;
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < m.rows; i += 7)
    sum = mix_double(sum, x[i]);
  print_checksum("spmv", sum);
  return 0;
}
