/*===- api_marks.c - Marks made by hand ------------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

#include <signal.h>

static char *a;

static void read_by_hand(const char *p, size_t bytes) {
  require_status(pagetide_mark_read(p, bytes), PAGETIDE_OK);
  expect_read(p, bytes);
}
static void write_by_hand(const char *p, size_t bytes) {
  require_status(pagetide_mark_written(p, bytes), PAGETIDE_OK);
  expect_write(p, bytes);
}
static void in_handler(int signal) {
  write_by_hand(a + signal * PAGE, 1);
}

int main(void) {
  a = arena(0, 2048 * PAGE);
  read_by_hand(a, 1);
  end_period();
  write_by_hand(a + PAGE - 1, 2);
  end_period();
  read_by_hand(a + 3 * PAGE, 700 * PAGE);
  write_by_hand(a + 5 * PAGE, 600 * PAGE + 1);
  end_period();
  require_status(pagetide_mark_read(a, 0), PAGETIDE_OK);
  require_status(pagetide_mark_written(a, 0), PAGETIDE_OK);
  end_period();
  /* For a page that is not mapped any more. */
  munmap(a + 1000 * PAGE, PAGE);
  write_by_hand(a + 1000 * PAGE, PAGE);
  end_period();
  signal(SIGUSR1, in_handler);
  raise(SIGUSR1);
  end_period();
  return 0;
}
