/*===- struct_copies.c - Objects assigned, passed and returned by value ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site %s

#include "known_sets.h"

struct small {
  int a, b;
};
struct medium {
  uint64_t word[5];
};
struct large {
  char bytes[10000];
};
struct nested {
  char before[100];
  struct medium inner;
  struct small tail[3];
};

static NOINLINE void assign_small(struct small *to, const struct small *from) {
  *to = *from;
}
static NOINLINE void assign_medium(struct medium *to,
                                   const struct medium *from) {
  *to = *from;
}
static NOINLINE void assign_large(struct large *to, const struct large *from) {
  *to = *from;
}
static NOINLINE void assign_inner(struct nested *to, const struct nested *from) {
  to->inner = from->inner;
  to->tail[1] = from->tail[2];
}
/* By value in memory: the caller reads its object to pass it. The callee's copy
 * is on the stack, which nobody watches. */
static NOINLINE uint64_t takes_medium(struct medium m) {
  OPAQUE(m.word[0]);
  return m.word[0] + m.word[4];
}
static NOINLINE int takes_large(struct large l) {
  return l.bytes[0] + l.bytes[9999];
}
/* Through pointers, so that no level passes fewer bytes. */
static uint64_t (*volatile call_medium)(struct medium) = takes_medium;
static int (*volatile call_large)(struct large) = takes_large;
static NOINLINE uint64_t pass_medium(const struct medium *m) {
  return call_medium(*m);
}
static NOINLINE int pass_large(const struct large *l) { return call_large(*l); }
/* Returned in memory, straight into the arena or by way of the stack. */
static NOINLINE struct medium returns_medium(uint64_t seed) {
  struct medium m = {{seed, seed + 1, seed + 2, seed + 3, seed + 4}};
  return m;
}
static NOINLINE struct large returns_large(int seed) {
  struct large l;
  memset(l.bytes, seed, sizeof l.bytes);
  return l;
}
static NOINLINE void receive_medium(struct medium *to) {
  *to = returns_medium(5);
}
static NOINLINE void receive_large(struct large *to) { *to = returns_large(5); }
static NOINLINE void compound_literal(struct medium *to) {
  *to = (struct medium){{1, 2, 3, 4, 5}};
}

int main(void) {
  char *a = arena(0, 64 * PAGE), *b = arena(1, 64 * PAGE);
  for (size_t back = 0; back <= 48; back += 8) {
    struct small *s = (struct small *)(a + PAGE - back);
    const struct small *from_s = (const struct small *)(b + 3 * PAGE - back / 2);
    assign_small(s, from_s);
    expect_write(s, sizeof *s), expect_read(from_s, sizeof *s), end_period();

    struct medium *m = (struct medium *)(a + 4 * PAGE - back);
    const struct medium *from_m = (const struct medium *)(b + 6 * PAGE - back);
    assign_medium(m, from_m);
    expect_write(m, sizeof *m), expect_read(from_m, sizeof *m), end_period();
    uint64_t sum = pass_medium(m);
    OPAQUE(sum);
    expect_read(m, sizeof *m), end_period();
    receive_medium(m);
    expect_write(m, sizeof *m), end_period();
    compound_literal(m);
    expect_write(m, sizeof *m), end_period();

    struct large *l = (struct large *)(a + 8 * PAGE - back);
    const struct large *from_l = (const struct large *)(b + 12 * PAGE + back);
    assign_large(l, from_l);
    expect_write(l, sizeof *l), expect_read(from_l, sizeof *l), end_period();
    int total = pass_large(l);
    OPAQUE(total);
    expect_read(l, sizeof *l), end_period();
    receive_large(l);
    expect_write(l, sizeof *l), end_period();

    struct nested *n = (struct nested *)(a + 16 * PAGE - 104 - back);
    const struct nested *from_n = (const struct nested *)(b + 20 * PAGE - back);
    assign_inner(n, from_n);
    expect_write(&n->inner, sizeof n->inner);
    expect_read(&from_n->inner, sizeof n->inner);
    expect_write(&n->tail[1], sizeof n->tail[1]);
    expect_read(&from_n->tail[2], sizeof n->tail[2]);
    end_period();
  }
  return 0;
}
