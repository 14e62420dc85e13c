/*===- io_over_a_period.c - A call that blocks while a period ends ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// What the kernel writes is marked when the call returns and belongs to that
// period; while it blocks there is nothing to report.
// RUN: %known_sets --ways O0,O2 %s

#include "known_sets.h"

#include <pthread.h>

static char *a;
static int channel[2], back[2];

static void *reader(void *unused) {
  for (int i = 0; i < 4; ++i) {
    ssize_t got = read(channel[0], a + i * 2 * PAGE, 2 * PAGE);
    require(got > 0);
    expect_at(known_period_, thread_id(), a + i * 2 * PAGE, (size_t)got, "w");
    require(write(back[1], "x", 1) == 1);
  }
  return unused;
}

static volatile int reader_tid;
static void *reader_with_tid(void *unused) {
  reader_tid = thread_id();
  return reader(unused);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  require(pipe(channel) == 0 && pipe(back) == 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, reader_with_tid, NULL) == 0);
  while (!reader_tid)
    usleep(100);
  static char block[5000];
  for (int i = 0; i < 4; ++i) {
    wait_until_blocked(reader_tid);
    end_period();
    end_period();
    require(write(channel[1], block, i & 1 ? 5000 : 100) > 0);
    char byte;
    require(read(back[0], &byte, 1) == 1);
  }
  pthread_join(thread, NULL);
  end_period();
  return 0;
}
