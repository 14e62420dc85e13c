/*===- inline_assembly.c - Operands of inline assembly in memory -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

struct block {
  uint64_t word[8];
};

static NOINLINE void input(const uint64_t *p) {
  __asm__ volatile("" : : "m"(*p));
}
static NOINLINE void output(uint64_t *p) {
  __asm__ volatile("movq $5, %0" : "=m"(*p));
}
static NOINLINE void in_and_out(uint64_t *p) {
  __asm__ volatile("incq %0" : "+m"(*p));
}
static NOINLINE void whole_block(const struct block *b) {
  __asm__ volatile("" : : "m"(*b));
}
static NOINLINE void several(uint64_t *to, const uint64_t *from,
                             uint16_t *both) {
  uint64_t scratch;
  __asm__ volatile("movq %3, %2\n\tmovq %2, %0\n\tincw %1"
                   : "=m"(*to), "+m"(*both), "=&r"(scratch)
                   : "m"(*from));
}
/* No operand in memory, whatever it clobbers: nothing can be known. */
static NOINLINE void clobber(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
  char *a = arena(0, 16 * PAGE);
  input((uint64_t *)(a + PAGE - 4));
  expect_read(a + PAGE - 4, 8), end_period();
  output((uint64_t *)(a + PAGE - 4));
  expect_write(a + PAGE - 4, 8), end_period();
  in_and_out((uint64_t *)(a + 2 * PAGE - 8));
  expect_both(a + 2 * PAGE - 8, 8), end_period();
  whole_block((struct block *)(a + 4 * PAGE - 8));
  expect_read(a + 4 * PAGE - 8, sizeof(struct block)), end_period();
  several((uint64_t *)a, (uint64_t *)(a + 6 * PAGE - 1),
          (uint16_t *)(a + 8 * PAGE));
  expect_write(a, 8), expect_read(a + 6 * PAGE - 1, 8);
  expect_both(a + 8 * PAGE, 2), end_period();
  clobber();
  end_period();
  return 0;
}
