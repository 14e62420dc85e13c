/*===- comparisons.c - memcmp and bcmp, as calls and as loads --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

/* Equal contents: every byte is read, whoever compares. */
static NOINLINE int compare(const char *a, const char *b, size_t n) {
  return memcmp(a, b, n);
}
static NOINLINE int equal_8(const char *a, const char *b) {
  return memcmp(a, b, 8) == 0; /* bcmp, and two loads */
}
static NOINLINE int equal_31(const char *a, const char *b) {
  return memcmp(a, b, 31) == 0;
}
static NOINLINE int order_16(const char *a, const char *b) {
  return memcmp(a, b, 16);
}

int main(void) {
  char *a = arena(0, 64 * PAGE), *b = arena(1, 64 * PAGE);
  require(compare(a + 4090, b + 8190, 20000) == 0);
  expect_read(a + 4090, 20000), expect_read(b + 8190, 20000), end_period();
  require(equal_8(a + 4092, b + 3 * PAGE - 1));
  expect_read(a + 4092, 8), expect_read(b + 3 * PAGE - 1, 8), end_period();
  require(equal_31(a + 4096 - 30, b + 3 * PAGE));
  expect_read(a + 4096 - 30, 31), expect_read(b + 3 * PAGE, 31), end_period();
  require(order_16(a + 4096 - 8, b + 3 * PAGE - 15) == 0);
  expect_read(a + 4096 - 8, 16), expect_read(b + 3 * PAGE - 15, 16);
  end_period();
  require(compare(a, b, 0) == 0);
  end_period();
  return 0;
}
