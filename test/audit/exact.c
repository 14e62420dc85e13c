/*===- exact.c - Marks against every access of the same run ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: qemu-user
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -g -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -g -pthread -I %inputs %s plain.o -o program

// Threads, a child, signals that come between mark and access, libc.
// RUN: %pagetide audit --exact -p 0 --json -r exact -- ./program clean
// RUN: FileCheck %s <exact
// CHECK: {"pagetide_audit_exact":1,"processes":[{"pid":{{[0-9]+}},"periods":1,"compared":{{[1-9][0-9]+}},"granule_bytes":4096,"lost":{"pages":0,"places":[]},"claimed":{"pages":0,"places":[]}},{"pid":{{[0-9]+}},{{.*}},"lost":{"pages":0,"places":[]},"claimed":{"pages":0,"places":[]}}]}

// Each of four pages lacks a mark, or has one too many. All were
// marked in an earlier stretch.
// RUN: (%pagetide audit --exact -p 0 -r faults -- ./program faults; test $? = 1)
// RUN: FileCheck %s --check-prefix=FAULTS <faults
// FAULTS: Exact audit of process {{[0-9]+}}: ./program faults
// FAULTS-NEXT: 1 period, {{[1-9][0-9,]+}} comparisons of a page of 4 KiB
// FAULTS: pages accessed without a mark (lost) 3
// FAULTS: pages marked and not accessed (claimed) 1
// FAULTS: Claimed
// FAULTS-NEXT: marked as read by claim.pagetide in program (exact.c:{{[0-9]+}})
// FAULTS: Lost
// FAULTS-DAG: read by plain_read in program (plain.c:{{[0-9]+}})
// FAULTS-DAG: written by plain_write in program (plain.c:{{[0-9]+}})
// FAULTS-DAG: written by unmarked in program (exact.c:{{[0-9]+}})
// FAULTS: Verdict: not exact.

// The other layouts, and another granule.
// RUN: %if all-ways %{ for flag in layout=write layout=site layout=rw-site granule=6 layout=access; do \
// RUN:   %pagetide_clang -O1 -g -pthread -fpagetide-mode=always -fpagetide-$flag -I %inputs -I %support %s plain.o -o other || exit 1; \
// RUN:   %pagetide audit --exact -p 0 -r exact -- ./other clean && (%pagetide audit --exact -p 0 --json -r faults -- ./other faults; test $? = 1) || exit 1; \
// RUN:   grep -q 'written","code":"unmarked in other' faults || exit 1; \
// RUN:   if grep -q '"code":"plain_read in' faults; then test $flag != layout=write; else test $flag = layout=write; fi || exit 1; done; \
// RUN:   grep '"kind":"accessed","code":"claim' faults %}

// Wrong use.
// RUN: %plain_c -O1 -I %inputs %inputs/touch_file.c -o other
// RUN: (%pagetide audit --exact -- ./other 2>err; test $? = 2)
// RUN: grep -q 'nothing could be compared: no instrumented process' err
// RUN: (%pagetide audit --exact --from x 2>err; test $? = 2)
// RUN: grep -q -e '--from and --exact were both given' err
// RUN: (env PATH=/nowhere %pagetide audit --exact -- ./program clean 2>err; test $? = 2)
// RUN: grep -q 'needs qemu-x86_64, which is not in PATH' err

#include "audited.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static char pages[8][PAGE] __attribute__((aligned(PAGE)));
static char *volatile cursor;

__attribute__((noinline, disable_sanitizer_instrumentation)) static void
unmarked(volatile char *p) {
  *p = 1;
}

/// The assembly does not touch the memory that it names.
__attribute__((noinline)) static void claim(char *p) {
  __asm__ volatile("" ::"m"(*p));
}

static void faults(void) {
  for (int i = 0; i < 4; ++i)
    *(volatile char *)pages[i] = 1;
  REQUIRE(getppid() > 0); // another stretch
  unmarked(pages[0]);
  plain_write(pages[1]);
  plain_read(pages[2]);
  claim(pages[3]);
}

static void on_signal(int signal) {
  (void)signal;
  *cursor = 2;
  REQUIRE(getppid() > 0);
}

static void *work(void *page) {
  cursor = page;
  for (int i = 0; i < 100; ++i) {
    ((volatile char *)page)[i] += 1;
    if (i % 10 == 0)
      raise(SIGUSR1);
  }
  char *block = strdup("a block of the heap");
  free(block);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "faults") == 0) {
    faults();
    return 0;
  }
  signal(SIGUSR1, on_signal);
  pthread_t thread;
  work(pages[0]);
  REQUIRE(pthread_create(&thread, NULL, work, pages[1]) == 0);
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (child == 0) {
    work(pages[2]);
    exit(0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
