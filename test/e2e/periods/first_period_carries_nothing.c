/*===- first_period_carries_nothing.c - Who asks to record has settled -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// What a thread wrote before recording began belongs to no period. If the
// thread waits for the recording to begin, it has made these writes. So they
// are not carried into the first period either, however soon that ends: after
// pagetide_start(), under `record`, and in a forked child.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 %s -o writes
// RUN: PAGETIDE_OPTIONS=settle=1h ./writes starts.ptrace
// RUN: PAGETIDE_OPTIONS=settle=1h ./writes forks.ptrace
// RUN: PAGETIDE_OPTIONS=settle=1h %pagetide record -p 1ms -o record.ptrace \
// RUN:   -- ./writes
// RUN: ls *.ptrace* | wc -l | grep -x 4
// RUN: for trace in *.ptrace*; do \
// RUN:   %pagetide export --format csv $trace > $trace.sets && \
// RUN:   ! grep '^0,.*carried' $trace.sets || exit 1; done
// What is written while it is recorded is carried: the option works.
// RUN: grep -q carried forks.ptrace.sets

#include "recording.h"

#include <sys/wait.h>

static char *a;

/* Makes no system call, so that the thread does not settle. */
static void write_for_periods(void) {
  for (int i = 0; i < 50000000; ++i)
    write_byte(a + 2 * PAGE);
}

int main(int argc, char **argv) {
  a = arena(0, 4 * PAGE);
  write_byte(a);
  if (argc == 1) {
    write_for_periods();
    return 0;
  }
  pagetide_config config = driven_config();
  config.period_ns = 1000000;
  config.trace_path = argv[1];
  require_status(pagetide_start(&config), PAGETIDE_OK);
  write_for_periods();
  if (strcmp(argv[1], "forks.ptrace") == 0) {
    write_byte(a + PAGE);
    int pid = fork(), status;
    require(pid >= 0);
    write_for_periods();
    if (pid == 0)
      exit(0);
    require(waitpid(pid, &status, 0) == pid);
    require_equal(status, 0);
  }
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
