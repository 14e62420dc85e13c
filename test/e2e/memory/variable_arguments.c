/*===- variable_arguments.c - Argument lists that lie in an arena ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

/* The list lives on a page of its own, so each step of it shows. */
static NOINLINE void start_only(va_list *list, ...) {
  va_start(*list, list);
  expect_write(list, sizeof *list), end_period();
  va_end(*list);
  end_period();
}
static NOINLINE void take_int(va_list *list, ...) {
  va_start(*list, list);
  expect_write(list, sizeof *list), end_period();
  int value = va_arg(*list, int);
  expect_both(list, sizeof *list), end_period();
  require_equal(value, 41);
  double real = va_arg(*list, double);
  expect_both(list, sizeof *list), end_period();
  require(real == 2.5);
  va_end(*list);
}
static NOINLINE void copy_list(va_list *to, va_list *from, ...) {
  va_start(*from, from);
  expect_write(from, sizeof *from), end_period();
  va_copy(*to, *from);
  expect_read(from, sizeof *from), expect_write(to, sizeof *to), end_period();
  require_equal(va_arg(*to, int), 9);
  expect_both(to, sizeof *to), end_period();
  va_end(*to);
  va_end(*from);
}
/* More arguments than registers: the rest is read from the stack. */
static NOINLINE long add_up(va_list *list, int n, ...) {
  long total = 0;
  va_start(*list, n);
  for (int i = 0; i < n; ++i)
    total += va_arg(*list, int);
  va_end(*list);
  expect_both(list, sizeof *list), end_period();
  return total;
}
struct big {
  uint64_t word[6];
};
static NOINLINE uint64_t take_struct(va_list *list, ...) {
  va_start(*list, list);
  struct big b = va_arg(*list, struct big);
  va_end(*list);
  expect_both(list, sizeof *list);
  return b.word[0] + b.word[5];
}

int main(void) {
  char *a = arena(0, 16 * PAGE);
  /* Aligned to 64 bytes: one granule of the smallest size holds a list. */
  va_list *one = (va_list *)a, *two = (va_list *)(a + PAGE);
  start_only(one, 1);
  take_int(one, 41, 2.5);
  copy_list(two, one, 9);
  require_equal(add_up(two, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 78);
  struct big *b = (struct big *)(a + 4 * PAGE - 8);
  b->word[0] = 3, b->word[5] = 4;
  expect_write(&b->word[0], 8), expect_write(&b->word[5], 8), end_period();
  require_equal(take_struct(one, *b), 7);
  expect_read(b, sizeof *b), end_period();
  return 0;
}
