/*===- address_spaces.c - Pointers of 32 bits and relative to FS -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --flag=-fms-extensions %s

#include "known_sets.h"

#include <sys/mman.h>

typedef int *__ptr32 __sptr signed_pointer;
typedef int *__ptr32 __uptr unsigned_pointer;
typedef int unaligned __attribute__((aligned(1)));
typedef unaligned *__ptr32 __uptr unaligned_pointer;
typedef struct {
  int a[2000];
  int b;
} record;
typedef record *__ptr32 __uptr record_pointer;

static NOINLINE int load(signed_pointer p) { return *p; }
static NOINLINE void store(unaligned_pointer p, int v) { *p = v; }
static NOINLINE void update(signed_pointer p) { ++*p; }
static NOINLINE int field(record_pointer p) { return p->b; }
static NOINLINE int sum(unsigned_pointer p, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i)
    total += p[i];
  return total;
}

static __thread _Alignas(4096) int of_thread[3 * PAGE / sizeof(int)];

static NOINLINE int load_fs(int __seg_fs *p) { return *p; }
static NOINLINE void store_fs(int __seg_fs *p, int v) { *p = v; }
static NOINLINE void update_fs(int __seg_fs *p) { *p += 5; }

/* The offset of a variable of the running thread from its thread pointer. */
static int __seg_fs *relative(int *p) {
  return (int __seg_fs *)((uintptr_t)p -
                          (uintptr_t)__builtin_thread_pointer());
}

int main(void) {
  char *low = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  require(low != MAP_FAILED && (uintptr_t)low >> 31 == 0);
  require_status(pagetide_watch(low, 8 * PAGE), PAGETIDE_OK);
#define LOW(Type, Offset) ((Type)(uintptr_t)(low + (Offset)))

  expect_read(low + PAGE, 4);
  require(load(LOW(signed_pointer, PAGE)) == 0);
  end_period();
  expect_write(low + 3 * PAGE - 2, 4);
  store(LOW(unaligned_pointer, 3 * PAGE - 2), 1);
  end_period();
  expect_both(low + 5 * PAGE + 40, 4);
  update(LOW(signed_pointer, 5 * PAGE + 40));
  end_period();
  expect_read(low + 8000, 4);
  require(field(LOW(record_pointer, 0)) == 0);
  end_period();
  expect_read(low + 6 * PAGE + 4, 1500 * 4);
  require(sum(LOW(unsigned_pointer, 6 * PAGE + 4), 1500) == 0);
  end_period();

  require_status(pagetide_watch(of_thread, sizeof of_thread), PAGETIDE_OK);
  int *second = of_thread + PAGE / sizeof(int);
  expect_write(second, 4);
  store_fs(relative(second), 3);
  end_period();
  expect_read(second, 4);
  require(load_fs(relative(second)) == 3);
  end_period();
  expect_both(of_thread, 4);
  update_fs(relative(of_thread));
  end_period();
  return 0;
}
