/*===- loads_and_stores.c - Every width, read, written and both ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

/* Reads page i of the arena, writes page i + 1 and does both to page i + 2, and
 * says so. Volatile: each access stays one access at every level. */
#define TOUCH(type)                                                            \
  static NOINLINE void touch_##type(char *at) {                                \
    volatile type *p = (volatile type *)at;                                    \
    type value = *p;                                                           \
    *(volatile type *)(at + PAGE) = value;                                     \
    volatile type *both = (volatile type *)(at + 2 * PAGE);                    \
    *both = *both + 1;                                                         \
    expect_read(at, sizeof(type));                                             \
    expect_write(at + PAGE, sizeof(type));                                     \
    expect_both(at + 2 * PAGE, sizeof(type));                                  \
  }

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef long double f80;
typedef _Complex double c128;
typedef int v4 __attribute__((vector_size(16)));

TOUCH(u8)
TOUCH(u16)
TOUCH(u32)
TOUCH(u64)
TOUCH(u128)
TOUCH(float)
TOUCH(double)
TOUCH(f80)
TOUCH(c128)
TOUCH(v4)

/* Not volatile: the optimiser may do what it likes with the code around. */
static NOINLINE int sum(const int *p, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i)
    total += p[i];
  return total;
}
static NOINLINE void fill(int *p, int n, int value) {
  for (int i = 0; i < n; ++i)
    p[i] = value + i;
}
static NOINLINE void add(int *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i] += 1;
}

struct node {
  struct node *next;
  char rest[120];
  int value;
};
static NOINLINE int walk(const struct node *n) {
  int total = 0;
  for (; n; n = n->next)
    total += n->value;
  return total;
}

int main(void) {
  char *a = arena(0, 256 * PAGE);
  char *at = a;
  touch_u8(at + 4095), at += 4 * PAGE;
  touch_u16(at + 4094), at += 4 * PAGE;
  touch_u32(at), at += 4 * PAGE;
  touch_u64(at + 4088), at += 4 * PAGE;
  touch_u128(at + 4080), at += 4 * PAGE;
  touch_float(at + 64), at += 4 * PAGE;
  touch_double(at + 128), at += 4 * PAGE;
  touch_f80(at + 4080), at += 4 * PAGE;
  touch_c128(at + 4080), at += 4 * PAGE;
  touch_v4(at + 2048);
  end_period();

  /* The same pages in another way: sets do not leak into the next period. */
  fill((int *)(a + 100), 3000, 1);
  expect_write(a + 100, 12000);
  end_period();
  int total = sum((int *)(a + 100), 3000);
  OPAQUE(total);
  expect_read(a + 100, 12000);
  end_period();
  add((int *)(a + 4092), 2);
  expect_both(a + 4092, 8);
  end_period();

  /* Nothing at all. */
  end_period();

  /* A list with scattered nodes, each within a granule of 64 bytes or not. */
  struct node *list = NULL;
  for (int i = 0; i < 50; ++i) {
    struct node *n = (struct node *)(a + ((i * 37) % 100) * PAGE + 256);
    expect_write(&n->next, sizeof n->next);
    expect_write(&n->value, sizeof n->value);
    n->next = list;
    n->value = i;
    list = n;
  }
  end_period();
  for (int i = 0; i < 50; ++i) {
    struct node *n = (struct node *)(a + ((i * 37) % 100) * PAGE + 256);
    expect_read(&n->next, sizeof n->next);
    expect_read(&n->value, sizeof n->value);
  }
  require_equal(walk(list), 49 * 50 / 2);
  end_period();
  return 0;
}
