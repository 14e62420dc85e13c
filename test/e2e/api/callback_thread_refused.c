/*===- callback_thread_refused.c - A fork without a callback thread --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// If a forked child cannot make its callback thread, it says so. It also says
// that its callback gets only the periods that the program ends. Its trace is
// whole.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -O1 -fPIC -shared %e2e/Inputs/refuses_threads.c -o librefuses.so
// RUN: %build_c -O1 %s -Wl,--no-as-needed librefuses.so -Wl,-rpath,%t \
// RUN:   -o program
// RUN: PAGETIDE_OPTIONS=trace_path=trace:period=2ms ./program 2>err
// RUN: FileCheck %s <err
// CHECK-NOT: {{.}}
// CHECK: WARNING: Pagetide: process {{[0-9]+}}, a forked child, has no thread for its period callback: EAGAIN {{.*}}(ulimit -u){{.*}}
// CHECK-NOT: {{.}}
// RUN: for trace in trace trace.*; do %pagetide info $trace | \
// RUN:   grep 'ended by exit' || exit 1; done
//
// Under on_failure=stop the child ends.
// RUN: (PAGETIDE_OPTIONS=trace_path=stops:period=2ms:on_failure=stop \
// RUN:   ./program 2>err; test $? -eq 125) && grep 'ERROR: .* no thread for' err

#include "known_sets.h"

#include <stdatomic.h>
#include <sys/wait.h>

extern int refuse_threads;
static atomic_int driven, timed;
static atomic_int *final; /* shared */

static void look(const pagetide_period *period, void *user) {
  (void)user;
  atomic_fetch_add(period->flags & PAGETIDE_PERIOD_DRIVEN ? &driven : &timed,
                   1);
  if (period->flags & PAGETIDE_PERIOD_FINAL)
    atomic_fetch_add(final, 1);
}

int main(void) {
  char *a = arena(0, 4 * PAGE);
  final = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
  require(final != MAP_FAILED);
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  while (!atomic_load(&timed)) {
    *(volatile char *)a = 1;
    usleep(1000);
  }
  refuse_threads = 1;
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    atomic_store(&driven, 0);
    atomic_store(&timed, 0);
    for (int i = 0; i < 20; ++i) {
      *(volatile char *)a = 1;
      usleep(2000);
    }
    require_equal(atomic_load(&timed), 0);
    end_period();
    require_equal(atomic_load(&driven), 1);
    exit(0);
  }
  int status;
  require(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  if (WEXITSTATUS(status) == 0)
    require_equal(atomic_load(final), 1);
  return WEXITSTATUS(status);
}
