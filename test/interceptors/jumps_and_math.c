/*===- jumps_and_math.c - setjmp's buffer, libm's results in memory -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Without libm, which the runtime loads then, and with it behind the runtime, as
// the wrappers have it.
// RUN: %known_sets --ways O0,O2,O2/write,O2/rw/6 --flag=-fno-builtin %s
// RUN: %known_sets --ways O2 --flag=-fno-builtin --flag=-Wl,--no-as-needed \
// RUN:   --flag=%runtime --flag=-lm %s

#include "known_sets.h"

#include <math.h>
#include <setjmp.h>

static char *a, *b;
static volatile int times;

/* The registers, whether the mask was saved, and the mask at 72. */
static void jumps(char *at) {
  times = 0;
  expect_write(at, 68);
  if (!_setjmp(*(jmp_buf *)at)) {
    end_period();
    expect_read(at, 68);
    _longjmp(*(jmp_buf *)at, 1);
  }
  end_period();
  expect_write(at, 68);
  if (!sigsetjmp(*(sigjmp_buf *)at, 0)) {
    end_period();
    expect_read(at, 68);
    longjmp(*(jmp_buf *)at, 1);
  }
  end_period();
  expect_write(at, 68), expect_write(at + 72, 8);
  if (!sigsetjmp(*(sigjmp_buf *)at, 1)) {
    end_period();
    expect_read(at, 68), expect_read(at + 72, 8);
    siglongjmp(*(sigjmp_buf *)at, 1);
  }
  end_period();
  if (!(setjmp)(*(jmp_buf *)at))
    expect_write(at, 68), expect_write(at + 72, 8), ++times;
  end_period();
  require_equal(times, 1);
}

static void math(void) {
  void *x = a + PAGE - 4, *y = b + PAGE - 4;
  int *number = (int *)(b + 4 * PAGE);
  sincosf(1, (float *)x, (float *)y);
  expect_write(x, 4), expect_write(y, 4), end_period();
  sincos(1, (double *)x, (double *)y);
  expect_write(x, 8), expect_write(y, 8), end_period();
  x = a + PAGE - 8;
  sincosl(1, (long double *)x, (long double *)(b + 2 * PAGE - 10));
  expect_write(x, 10), expect_write(b + 2 * PAGE - 10, 10), end_period();
  require(remquo(7, 2, number) == -1);
  expect_write(number, 4), end_period();
  require(remquof(7, 2, number) == -1);
  expect_write(number, 4), end_period();
  require(remquol(7, 2, number) == -1);
  expect_write(number, 4), end_period();
  require(isnan(remquo(7, 0, number)));
  expect_at(known_period_, thread_id(), number, 4, "mw"), end_period();
  require(lgamma_r(3, number) > 0.69 && lgammaf_r(3, number) > 0.69f);
  require(lgammal_r(3, number) > 0.69L);
  expect_write(number, 4), end_period();
}

int main(void) {
  a = arena(0, 16 * PAGE);
  b = arena(1, 16 * PAGE);
  for (size_t before = 0; before <= 80; before += 8)
    jumps(a + 8 * PAGE - before);
  math();
  return 0;
}
