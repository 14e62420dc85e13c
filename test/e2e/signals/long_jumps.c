/*===- long_jumps.c - longjmp, out of signal handlers too ------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site %s

#include "known_sets.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf here;
static sigjmp_buf there;
static char *a;

static NOINLINE void deep(int n) {
  a[n * PAGE] = 1;
  if (n == 7)
    longjmp(here, 3);
  deep(n + 1);
  a[60 * PAGE] = 1; /* never reached */
}

static void jump_out(int signal) {
  a[20 * PAGE] = (char)signal;
  siglongjmp(there, 1);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  for (int n = 0; n <= 7; ++n)
    expect_write(a + n * PAGE, 1);
  if (setjmp(here) == 0)
    deep(0);
  else
    a[10 * PAGE] = 1;
  expect_write(a + 10 * PAGE, 1);
  end_period();

  signal(SIGUSR1, jump_out);
  for (volatile int round = 0; round < 3; ++round) {
    if (sigsetjmp(there, 1) == 0) {
      a[(30 + round) * PAGE] = 1;
      raise(SIGUSR1);
      a[61 * PAGE] = 1; /* never reached */
    }
    expect_write(a + (30 + round) * PAGE, 1);
    expect_write(a + 20 * PAGE, 1);
    end_period();
  }

  /* The buffer itself is in the arena: setjmp writes 68 bytes of it, longjmp
   * reads them. */
  jmp_buf *buffer = (jmp_buf *)(a + 40 * PAGE);
  if (setjmp(*buffer) == 0) {
    a[41 * PAGE] = 1;
    longjmp(*buffer, 1);
  }
  expect_both(buffer, 68);
  expect_write(a + 41 * PAGE, 1);
  end_period();
  return 0;
}
