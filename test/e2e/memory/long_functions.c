/*===- long_functions.c - Functions with thousands of marks ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Their marked copies are optimised no further, and share addresses of marks.
// RUN: %known_sets --ways O3/write %s
// DEFINE: %{mllvm} = --flag=-Xclang --flag=-mllvm --flag=-Xclang
// DEFINE: %{check} = %{mllvm} --flag=-pagetide-marks=check
// RUN: %known_sets %{check} --ways O2/access --modes process %s

#include "known_sets.h"

struct node {
  struct node *next;
  long count, key;
};

#define TIMES_4(x) x x x x
#define TIMES_1024(x) TIMES_4(TIMES_4(TIMES_4(TIMES_4(TIMES_4(x)))))

static NOINLINE void other(void) { COMPILER_BARRIER(); }

/* Blocks, conditions and updates. */
static NOINLINE long walk(struct node *n) {
  long steps = 0;
  TIMES_1024(if (n->key == 1) n->count += 3; steps += n->key; n = n->next;)
  OPAQUE(n);
  return steps;
}

/* One block, with the same places behind each call. */
static NOINLINE void store(struct node *a, struct node *b, long value) {
  TIMES_1024(other(); a->count = value; b->key = ++value;)
}

/* The value of a load decides after many loads that share a mark. */
static NOINLINE long sum(const volatile long *a, long *to) {
  long all = 0;
  TIMES_1024(other(); all += a[0]; all += a[1];)
  if (all == 7)
    *to = all;
  return all;
}

int main(void) {
  enum { kNodes = 1024, kStep = 3 };
  char *a = arena(0, (size_t)kNodes * kStep * PAGE);
  for (size_t i = 0; i < kNodes; ++i) {
    struct node *n = (struct node *)(a + i * kStep * PAGE + PAGE - 16);
    n->next = (struct node *)((char *)n + kStep * PAGE);
    n->key = i % 2 == 0;
    expect_write(&n->next, 8);
    expect_write(&n->key, 8);
  }
  end_period();

  long steps = walk((struct node *)(a + PAGE - 16));
  OPAQUE(steps);
  for (size_t i = 0; i < kNodes; ++i) {
    struct node *n = (struct node *)(a + i * kStep * PAGE + PAGE - 16);
    expect_read(&n->next, 8);
    expect_read(&n->key, 8);
    if (i % 2 == 0)
      expect_both(&n->count, 8);
  }
  end_period();

  char *b = a + 64 * PAGE, *c = a + 80 * PAGE;
  store((struct node *)b, (struct node *)c, 1);
  expect_write(&((struct node *)b)->count, 8);
  expect_write(&((struct node *)c)->key, 8);
  end_period();

  long all = sum((long *)(b + PAGE - 8), (long *)c);
  OPAQUE(all);
  expect_read(b + PAGE - 8, 16);
  end_period();
  return 0;
}
