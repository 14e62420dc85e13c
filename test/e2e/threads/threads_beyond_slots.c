/*===- threads_beyond_slots.c - More threads alive than shadows ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// 2300 threads at once, where the address space holds 1536 slots (layout rw) or
// the table 2048, and 96 with precision near: those beyond share some, nothing of
// theirs is lost, and the trace says so. When they have ended there is room again.
// Where sets are of the process, that is nothing to say.
// RUN: rm -f %t.log.*
// RUN: %known_sets --may-carry --ways O2,O2/write,O2/rw/12/near --modes process \
// RUN:   --option log_path=%t.log %s
// RUN: for trace in %t.work/*/process.ptrace; do \
// RUN:   %pagetide report $trace >%t.report && \
// RUN:   not grep threads-shared %t.report || exit 1; done
// RUN: not grep 'no shadow is left' %t.log.*
// RUN: %build_c -O2 %s -o %t
// RUN: rm -f %t.trace
// RUN: env PAGETIDE_TRUTH=%t.truth \
// RUN:   PAGETIDE_OPTIONS=trace_path=%t.trace:per_thread=1:period=0 %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: %pagetide report %t.trace | FileCheck --check-prefix=NOTE %s
// CHECK: no shadow is left for another thread
// NOTE: threads-shared (period 0): slots ran out: further threads are

#include "known_sets.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 2300, MOST_TOGETHER = 120 };

static char *a;
static pthread_barrier_t alive;
static unsigned long shadows[THREADS];

static void *work(void *argument) {
  volatile char *mine = a + (size_t)argument * 2 * PAGE;
  mine[0] = 1;
  require(syscall(SYS_arch_prctl, ARCH_GET_GS, &shadows[(size_t)argument]) ==
          0);
  pthread_barrier_wait(&alive); /* all are there */
  pthread_barrier_wait(&alive); /* the first period has ended */
  mine[PAGE] = 1;
  return NULL;
}

static int compare(const void *a, const void *b) {
  const unsigned long x = *(const unsigned long *)a,
                      y = *(const unsigned long *)b;
  return (x > y) - (x < y);
}

/* How many threads mark into the shadow that most of them share. */
static int most_together(void) {
  int most = 0, count = 0;
  qsort(shadows, THREADS, sizeof(shadows[0]), compare);
  for (int t = 0; t < THREADS; ++t) {
    count = t && shadows[t] == shadows[t - 1] ? count + 1 : 1;
    most = count > most ? count : most;
  }
  return most;
}

int main(void) {
  a = arena(0, THREADS * 2 * PAGE);
  pthread_barrier_init(&alive, NULL, THREADS + 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * KIB);
  static pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t) {
    require(pthread_create(&threads[t], &attributes, work, (void *)t) == 0);
    expect_write(a + t * 2 * PAGE, 1);
  }
  pthread_barrier_wait(&alive);
  pagetide_leave_out_begin();
  require(most_together() <= MOST_TOGETHER);
  pagetide_leave_out_end();
  end_period();
  pthread_barrier_wait(&alive);
  for (size_t t = 0; t < THREADS; ++t) {
    expect_write(a + t * 2 * PAGE + PAGE, 1);
    require(pthread_join(threads[t], NULL) == 0);
  }
  end_period();
  pthread_barrier_init(&alive, NULL, 2);
  require(pthread_create(&threads[0], &attributes, work, (void *)0) == 0);
  expect_write(a, 1), expect_write(a + PAGE, 1);
  pthread_barrier_wait(&alive);
  pthread_barrier_wait(&alive);
  require(pthread_join(threads[0], NULL) == 0);
  end_period();
  return 0;
}
