/*===- fortran.c - The accesses of Fortran ---------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// REQUIRES: flang
// Array expressions, sections, do concurrent, allocatables and pointers, and what
// the library of Fortran reads and writes of a program's arrays.
// RUN: %known_sets --ways O0,O2,O3,O2/access,O2/write,O2/rw/6,O2/rw/21,O2/rw/12/near %s %S/Inputs/arrays.f90

#include "known_sets.h"

enum { DOUBLES = 8 * 512, STEP = 1024, SIZE = DOUBLES * 8 };

struct particle {
  double place[3], mass;
};

void f_fill(double *y, long n);
void f_axpy(double *y, double *x, long n, double a);
void f_section(double *y, double *x, long n, long step);
void f_shift(double *y, long n);
void f_concurrent(double *y, double *x, long n);
void f_where(double *y, double *x, long n);
void f_allocatable(double *y, double *x, long n);
void f_derived(struct particle *p, long n);
void f_descriptor(double *y, long n, long step);
double f_reduce(double *x, long n);
void f_write(double *x, long n);
void f_read(double *y, long n);

int main(void) {
  double *x = (double *)arena(0, SIZE), *y = (double *)arena(1, SIZE);
  struct particle *p = (struct particle *)arena(2, SIZE);
  end_period();

  f_fill(x, DOUBLES);
  expect_write(x, SIZE);
  end_period();

  f_axpy(y, x, DOUBLES, 3);
  expect_read(x, SIZE);
  expect_both(y, SIZE);
  end_period();

  f_section(y, x, DOUBLES, STEP);
  for (int i = 0; i < DOUBLES; i += STEP) {
    expect_read(&x[i], 8);
    expect_write(&y[i], 8);
  }
  end_period();

  f_shift(y, DOUBLES);
  expect_read(y, SIZE - 8);
  expect_write(y + 1, SIZE - 8);
  end_period();

  f_concurrent(y, x, DOUBLES);
  expect_read(x, SIZE);
  expect_write(y, SIZE);
  end_period();

  /* Where the mask is false nothing is stored. */
  for (int i = 0; i < DOUBLES; ++i) {
    x[i] = i / 512 % 2;
    expect_write(&x[i], 8);
  }
  end_period();
  f_where(y, x, DOUBLES);
  expect_read(x, SIZE);
  for (int i = 0; i < DOUBLES; ++i)
    if (i / 512 % 2)
      expect_write(&y[i], 8);
  end_period();

  f_allocatable(y, x, DOUBLES);
  expect_read(x, SIZE);
  expect_write(y, SIZE);
  end_period();

  f_derived(p, SIZE / sizeof(*p));
  for (int i = 0; i < (int)(SIZE / sizeof(*p)); i += 256) {
    expect_read(&p[i].place[1], 8);
    expect_write(&p[i].mass, 8);
  }
  end_period();

  f_descriptor(y, DOUBLES, STEP);
  for (int i = 0; i < DOUBLES; i += STEP)
    expect_both(&y[i], 8);
  end_period();

  require(f_reduce(x, DOUBLES) == DOUBLES / 2);
  expect_read(x, SIZE);
  end_period();

  f_write(x, DOUBLES);
  expect_read(x, SIZE);
  end_period();
  f_read(y, DOUBLES);
  expect_write(y, SIZE);
  end_period();
  for (int i = 0; i < DOUBLES; ++i) {
    require(y[i] == i / 512 % 2);
    expect_read(&y[i], 8);
  }
  end_period();
  return 0;
}
