/*===- globals.c - Global objects, constant and per thread too -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Not with granules of 2 MiB: all of these objects would share one.
// RUN: %known_sets --ways O0,O1,O2,O3,Os,O2/access,O2/write,O2/rw/6,O2/site,O2/rw-site %s

#include "known_sets.h"

#define ON_PAGES __attribute__((aligned(4096)))

static const int constant[4096] ON_PAGES = {1, 2, 3, 4, 5};
static int zeroed[4096] ON_PAGES;
static int filled[4096] ON_PAGES = {1};
static _Thread_local int per_thread[2048] ON_PAGES;
int exported[2048] ON_PAGES;

static NOINLINE int get(const int *p, int i) { return p[i]; }
static NOINLINE int get_constant(int i) { return constant[i]; }
static NOINLINE void put_zeroed(int i) { zeroed[i] = i; }
static NOINLINE void put_filled(void) { filled[3000] += 1; }
static NOINLINE void put_per_thread(int i) { per_thread[i] = i; }
static NOINLINE void put_exported(void) { exported[0] = 1, exported[1024] = 2; }

static void watch(const void *p, size_t bytes) {
  require_status(pagetide_watch(p, bytes), PAGETIDE_OK);
}

int main(void) {
  watch(constant, sizeof constant);
  watch(zeroed, sizeof zeroed);
  watch(filled, sizeof filled);
  watch(per_thread, sizeof per_thread);
  watch(exported, sizeof exported);
  end_period(); /* what happened before main is not known here */

  int i = 2000, one = 1;
  OPAQUE(i);
  OPAQUE(one);
  require_equal(get_constant(i), 0);
  require_equal(get(constant, one), 2);
  expect_read(&constant[2000], 4), expect_read(&constant[1], 4), end_period();
  put_zeroed(i);
  expect_write(&zeroed[2000], 4), end_period();
  put_filled();
  expect_both(&filled[3000], 4), end_period();
  put_per_thread(i);
  expect_write(&per_thread[2000], 4), end_period();
  put_exported();
  expect_write(&exported[0], 4), expect_write(&exported[1024], 4), end_period();
  return 0;
}
