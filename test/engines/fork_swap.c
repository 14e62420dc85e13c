/*===- fork_swap.c - Pages that are paged out ------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: swap
// RUN: %known_sets --engine fork %s

#include "Inputs/mapped_memory.h"

static int is_paged_out(const char *p) {
  uint64_t entry = 0;
  int fd = open("/proc/self/pagemap", O_RDONLY);
  require(fd >= 0 && pread(fd, &entry, sizeof entry,
                           (off_t)((uintptr_t)p / PAGE * sizeof entry)) ==
                         (ssize_t)sizeof entry);
  close(fd);
  return entry >> 62 & 1;
}

/* Only pages that nobody shares are paged out on demand: those that were
 * written since the last boundary. */
static void page_out(char *p) {
  require(madvise(p, PAGE, 21 /* MADV_PAGEOUT */) == 0);
  require(is_paged_out(p));
}

int main(void) {
  require_status(pagetide_watch((void *)ARENA_BASE, GIB), PAGETIDE_OK);
  char *a = map(0, 8 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  for (int i = 0; i < 4; ++i)
    put(a + i * PAGE);
  expect_write(a, 4 * PAGE);
  page_out(a);
  page_out(a + PAGE);
  end_period();

  /* Of what is out at both boundaries nobody knows. */
  expect_at(known_period_, thread_id(), a, 2 * PAGE, "mw");
  end_period();

  /* What comes back shows whether it is the same. */
  (void)*(volatile char *)a;
  put(a + PAGE);
  expect_write(a + PAGE, 1);
  end_period();
  end_period();

  /* In at the last boundary, out at this one: brought back, it differs. */
  put(a + 2 * PAGE);
  page_out(a + 2 * PAGE);
  expect_write(a + 2 * PAGE, 1);
  end_period();
  put(a + 2 * PAGE);
  expect_write(a + 2 * PAGE, 1);
  end_period();
  return 0;
}
