/*===- signals.c - Handlers touch pages, on their own stacks too -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

#include "known_sets.h"

#include <signal.h>
#include <ucontext.h>

static char *a;
static volatile sig_atomic_t handled;

static void touch_some(int signal) {
  a[signal * PAGE] += 1;
  ++handled;
}

static void touch_with_info(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  a[(70 + info->si_value.sival_int) * PAGE] = 1;
  ++handled;
}

/* The program writes a page that it may not write; the handler allows it and
 * the write happens after all. */
static void allow(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  uintptr_t page = (uintptr_t)info->si_addr & -PAGE;
  mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
  a[90 * PAGE] = 1;
  ++handled;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *),
                   int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  require(sigaction(signal, &action, NULL) == 0);
}

/* Large enough that its frame lies on several pages of the handler's stack. */
static void use_stack(int signal, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  volatile char frame[3 * 4096];
  for (size_t i = 0; i < sizeof frame; i += 64)
    frame[i] = (char)signal;
  ++handled;
}

int main(void) {
  a = arena(0, 128 * PAGE);
  signal(SIGUSR1, touch_some);
  signal(SIGUSR2, touch_some);
  raise(SIGUSR1);
  expect_both(a + SIGUSR1 * PAGE, 1), end_period();
  kill(getpid(), SIGUSR2);
  expect_both(a + SIGUSR2 * PAGE, 1), end_period();

  handle(SIGRTMIN, touch_with_info, 0);
  for (int i = 0; i < 5; ++i) {
    union sigval value;
    value.sival_int = i;
    require(sigqueue(getpid(), SIGRTMIN, value) == 0);
    expect_write(a + (70 + i) * PAGE, 1);
  }
  end_period();
  require_equal(handled, 7);

  /* A signal blocked in one period and delivered in the next. */
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  end_period();
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  expect_both(a + SIGUSR1 * PAGE, 1), end_period();

  handle(SIGSEGV, allow, 0);
  mprotect(a + 80 * PAGE, PAGE, PROT_NONE);
  a[80 * PAGE + 5] = 1;
  require_equal(handled, 9);
  expect_write(a + 80 * PAGE + 5, 1), expect_write(a + 90 * PAGE, 1);
  end_period();

  /* On an alternative stack, which is not watched: the compiler decides what a
   * handler's frame spills there. Its array must be in the set, and
   * what lies far below must not. */
  size_t bytes = 16 * MIB;
  char *stack = map_arena(1, bytes);
  stack_t alternative;
  memset(&alternative, 0, sizeof alternative);
  alternative.ss_sp = stack;
  alternative.ss_size = bytes;
  require(sigaltstack(&alternative, NULL) == 0);
  handle(SIGUSR2, use_stack, SA_ONSTACK);
  end_period();
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
  raise(SIGUSR2);
  require_equal(handled, 10);
  require(pagetide_query(stack + bytes - 3 * PAGE, PAGE) &
          (PAGETIDE_WRITTEN | PAGETIDE_ACCESSED));
  require_equal(pagetide_query(stack, 4 * MIB), 0);
  require_status(pagetide_watch(a, PAGE), PAGETIDE_OK);
  end_period();
  return 0;
}
