/*===- contexts.c - makecontext and swapcontext, across threads too --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A context marks into the shadow of the thread that runs it just then.
// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <pthread.h>
#include <ucontext.h>

enum { STACK = 64 * 1024, STEPS = 6 };

static char *a;
static ucontext_t back, contexts[2];

/* Never inlined: thread_id() of a context that moved is the new thread's. */
static NOINLINE void touch(char *page) {
  *(volatile char *)page += 1;
  expect_both(page, 1);
}

static void steps(int which) {
  for (int step = 0; step < STEPS; ++step) {
    touch(a + (which * 16 + step) * PAGE);
    /* A move in the middle: nothing of it is under way afterwards. */
    memcpy(a + (40 + which) * PAGE, a + (42 + which) * PAGE, 100);
    expect_write(a + (40 + which) * PAGE, 100);
    expect_read(a + (42 + which) * PAGE, 100);
    swapcontext(&contexts[which], &back);
  }
}

static void *resume_both(void *unused) {
  touch(a + 60 * PAGE);
  swapcontext(&back, &contexts[1]);
  touch(a + 61 * PAGE);
  swapcontext(&back, &contexts[0]);
  touch(a + 62 * PAGE);
  return unused;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  for (int which = 0; which < 2; ++which) {
    getcontext(&contexts[which]);
    contexts[which].uc_stack.ss_sp = malloc(STACK);
    contexts[which].uc_stack.ss_size = STACK;
    contexts[which].uc_link = &back;
    makecontext(&contexts[which], (void (*)(void))steps, 1, which);
  }
  for (int step = 0; step < STEPS; ++step) {
    if (step % 2) {
      pthread_t thread;
      require(pthread_create(&thread, NULL, resume_both, NULL) == 0);
      require(pthread_join(thread, NULL) == 0);
    } else {
      resume_both(NULL);
    }
    end_period();
  }
  /* Both return, to uc_link. */
  swapcontext(&back, &contexts[0]);
  swapcontext(&back, &contexts[1]);
  touch(a + 63 * PAGE);
  end_period();
  return 0;
}
