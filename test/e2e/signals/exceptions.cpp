/*===- exceptions.cpp - Accesses before, while and after a throw -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

#include <stdexcept>

static char *a;

struct Guard {
  volatile char *page;
  explicit Guard(char *p) : page(p) { *page = 1; }
  ~Guard() { page[1] = page[0] + 1; }
};

static NOINLINE void thrower(int depth) {
  Guard guard(a + depth * 2 * PAGE);
  if (depth == 5)
    throw std::runtime_error("five");
  thrower(depth + 1);
  a[63 * PAGE] = 1; // never reached
}

static NOINLINE int catcher() {
  try {
    thrower(0);
  } catch (const std::runtime_error &error) {
    a[20 * PAGE] = error.what()[0];
    return 1;
  }
  a[62 * PAGE] = 1; // never reached
  return 0;
}

struct BigError {
  char text[8192];
};
static NOINLINE void throw_object(const BigError *from) { throw *from; }

static NOINLINE void rethrow() {
  try {
    throw 1;
  } catch (int) {
    a[30 * PAGE] = 1;
    throw;
  }
}

static NOINLINE void end_in_catch() noexcept {
  try {
    a[40 * PAGE] = 1;
    throw 2;
  } catch (...) {
    expect_write(a + 40 * PAGE, 1);
    end_period();
    a[41 * PAGE] = 1;
    expect_write(a + 41 * PAGE, 1);
  }
  end_period();
}

int main() {
  a = arena(0, 64 * PAGE);
  for (int depth = 0; depth <= 5; ++depth)
    expect_both(a + depth * 2 * PAGE, 2);
  expect_write(a + 20 * PAGE, 1);
  require(catcher() == 1);
  end_period();

  /* The thrown copy is made in libstdc++'s memory, by instrumented code. */
  const BigError *from = reinterpret_cast<const BigError *>(a + 50 * PAGE + 4);
  expect_read(from, sizeof *from);
  try {
    throw_object(from);
  } catch (const BigError &) {
  }
  end_period();

  expect_write(a + 30 * PAGE, 1);
  expect_write(a + 31 * PAGE, 1);
  try {
    rethrow();
  } catch (int) {
    a[31 * PAGE] = 1;
  }
  end_period();
  end_in_catch();
  return 0;
}
