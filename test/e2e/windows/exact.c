/*===- exact.c - Within windows sets are exact, between them marks are off -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// One thread goes round its pages in a loop without calls. It is in that loop
// when each window but the first begins, and one round takes a small part of
// its CPU time. A second thread sleeps in a call.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -O2 -c %S/Inputs/marks_on.c -o marks_on.o
// RUN: %pagetide_clang -O2 -fpagetide-mode=windows %s marks_on.o -o rounds \
// RUN:   -pthread
// RUN: %pagetide record --window 80ms --every 250ms -p 20ms -o rounds.ptrace \
// RUN:   -- ./rounds > pages
// RUN: %python %S/Inputs/windows.py %pagetide rounds.ptrace pages
// RUN: %pagetide report rounds.ptrace | FileCheck %s
// CHECK: between windows, {{.*}} with marks off

// What cannot be is refused by name.
// RUN: not %pagetide record --window 1s --every 1s -- ./rounds 2>&1 | \
// RUN:   FileCheck --check-prefix=LENGTH %s
// LENGTH: --window 1s --every 1s: windows must be shorter
// RUN: not %pagetide record --window 1s -- ./rounds 2>&1 | \
// RUN:   FileCheck --check-prefix=PAIR %s
// PAIR: --window requires --every
// A thread that still runs plain code writes without a mark.
// RUN: not %pagetide record --window 1ms --every 1s --checksum written -- ./rounds 2>&1 | \
// RUN:   FileCheck --check-prefix=SUMS %s
// SUMS: --checksum does not work with --window: code that still runs without marks could write
// Marks stay on, which the program does not expect: its status is not 0.
// RUN: (PAGETIDE_OPTIONS=trace_path=sums.ptrace:period=1ms:window=1ms:every=1s:checksum=written \
// RUN:   ./rounds 2>sums.err >/dev/null || true) && FileCheck --check-prefix=SUM %s <sums.err
// SUM: option window: windows do not work with checksums:
// RUN: %pagetide_clang -O2 %s marks_on.o -o demand -pthread
// RUN: not %pagetide record --window 1ms --every 1s -- ./demand 2>&1 | \
// RUN:   FileCheck --check-prefix=BUILD %s
// BUILD: build it with -fpagetide-mode=windows

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGES = 64, PAGE = 4096 };

int marks_are_on(void);
static volatile int ends;

static void *go_round(void *pages) {
  volatile char *p = pages;
  for (unsigned i = 0; !ends; ++i)
    p[i % PAGES * PAGE] = 1;
  return NULL;
}

int main(void) {
  char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, go_round, pages);
  const struct timespec pause = {0, 2000000};
  int seen[2] = {0, 0};
  for (int i = 0; i < 1000; ++i) {
    nanosleep(&pause, NULL);
    ++seen[marks_are_on()];
  }
  ends = 1;
  pthread_join(thread, NULL);
  printf("%llu %d\n", (unsigned long long)(uintptr_t)pages / PAGE, PAGES);
  return seen[0] == 0 || seen[1] == 0; // marks were on, and off
}
