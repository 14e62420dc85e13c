/*===- atomics.c - Atomic loads, stores and read-modify-writes -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --flag=-mcx16 %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site --flag=-mcx16 %s

#include "known_sets.h"

#include <stdatomic.h>
#include <stdbool.h>

#define EACH_WIDTH(type)                                                       \
  static NOINLINE char *atomics_##type(char *at) {                             \
    _Atomic type *p = (_Atomic type *)(at + PAGE - sizeof(type));              \
    type value = atomic_load_explicit(p, memory_order_relaxed);                \
    expect_read(p, sizeof(type)), end_period();                                \
    value += atomic_load(p);                                                   \
    expect_read(p, sizeof(type)), end_period();                                \
    atomic_store_explicit(p, 1, memory_order_release);                         \
    expect_write(p, sizeof(type)), end_period();                               \
    atomic_store(p, 2);                                                        \
    expect_write(p, sizeof(type)), end_period();                               \
    value += atomic_exchange(p, 3);                                            \
    expect_both(p, sizeof(type)), end_period();                                \
    atomic_fetch_add(p, 1); /* result unused: lock add */                      \
    expect_both(p, sizeof(type)), end_period();                                \
    value += atomic_fetch_sub(p, 1);                                           \
    expect_both(p, sizeof(type)), end_period();                                \
    value += atomic_fetch_and(p, 0x7f);                                        \
    expect_both(p, sizeof(type)), end_period();                                \
    value += atomic_fetch_xor(p, 5); /* a loop of cmpxchg */                   \
    expect_both(p, sizeof(type)), end_period();                                \
    type expected = atomic_load_explicit(p, memory_order_relaxed);             \
    require(atomic_compare_exchange_strong(p, &expected, 9));                  \
    expect_both(p, sizeof(type)), end_period();                                \
    /* cmpxchg attempts its store even where the comparison fails. */          \
    expected = 0;                                                              \
    require(!atomic_compare_exchange_strong(p, &expected, 9));                 \
    expect_both(p, sizeof(type)), end_period();                                \
    OPAQUE(value);                                                             \
    return at + PAGE;                                                          \
  }

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

EACH_WIDTH(u8)
EACH_WIDTH(u16)
EACH_WIDTH(u32)
EACH_WIDTH(u64)

static NOINLINE void sixteen_bytes(unsigned __int128 *p) {
  unsigned __int128 old = 0;
  require(__sync_bool_compare_and_swap(p, old, (unsigned __int128)7 << 64));
  expect_both(p, 16), end_period();
}

/* A lock in the arena, as programs build them. */
static NOINLINE void spin_lock(atomic_flag *flag) {
  while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {
  }
  atomic_flag_clear_explicit(flag, memory_order_release);
}

int main(void) {
  char *a = arena(0, 64 * PAGE);
  char *at = atomics_u8(a);
  at = atomics_u16(at);
  at = atomics_u32(at);
  at = atomics_u64(at);
  sixteen_bytes((unsigned __int128 *)(at + 16));
  at += PAGE;
  spin_lock((atomic_flag *)at);
  expect_both(at, 1), end_period();
  return 0;
}
