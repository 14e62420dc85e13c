/*===- bitfields.c - Bit-fields: a store of some bits reads the others -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

struct flags {
  unsigned low : 3;
  unsigned middle : 10;
  unsigned high : 19;
};
struct wide {
  uint64_t first : 40;
  uint64_t second : 24;
};
union whole {
  struct flags flags;
  unsigned word;
};

static NOINLINE unsigned read_middle(const struct flags *f) {
  return f->middle;
}
static NOINLINE void write_low(struct flags *f, unsigned value) {
  f->low = value;
}
static NOINLINE void write_second(struct wide *w, uint64_t value) {
  w->second = value;
}
static NOINLINE void write_whole(union whole *u) { u->word = 77; }
static NOINLINE void toggle(struct flags *f) { f->high ^= 1; }

int main(void) {
  char *a = arena(0, 16 * PAGE);
  struct flags *f = (struct flags *)(a + PAGE - sizeof *f);
  unsigned value = read_middle(f);
  OPAQUE(value);
  expect_read(f, sizeof *f), end_period();
  write_low(f, 5);
  expect_both(f, sizeof *f), end_period();
  toggle(f);
  expect_both(f, sizeof *f), end_period();
  struct wide *w = (struct wide *)(a + 3 * PAGE);
  write_second(w, 12345);
  expect_both(w, sizeof *w), end_period();
  write_whole((union whole *)(a + 5 * PAGE));
  expect_write(a + 5 * PAGE, 4), end_period();
  return 0;
}
