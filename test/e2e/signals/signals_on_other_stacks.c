/*===- signals_on_other_stacks.c - sigaltstack, and jumps off it -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Handlers on alternate stacks that return, that leave by siglongjmp, by
// setcontext, from a stack overflow, and in a thread.
// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static char *a;
static sigjmp_buf there;
static ucontext_t somewhere;
static int how;

enum { RETURN, JUMP, CONTEXT, OVERFLOW, WAYS };

static void handler(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  a[(signal == SIGSEGV ? 20 : 10) * PAGE + how] = 1;
  memset(a + 30 * PAGE, how, PAGE + 1);
  switch (how) {
  case JUMP:
  case OVERFLOW:
    siglongjmp(there, 1);
  case CONTEXT:
    setcontext(&somewhere);
  }
}

static NOINLINE int fill_the_stack(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = (char)depth;
  return depth < 0 ? 0 : fill_the_stack(depth + 1) + frame[depth % 1024];
}

static void *work(void *unused) {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_size = 64 * KIB;
  stack.ss_sp = malloc(stack.ss_size);
  require(sigaltstack(&stack, NULL) == 0);
  for (how = 0; how < WAYS; ++how) {
    volatile int come_back = 0;
    if (how == CONTEXT) {
      getcontext(&somewhere);
      if (!come_back++)
        raise(SIGUSR1);
    } else if (sigsetjmp(there, 1) == 0) {
      if (how == OVERFLOW)
        fill_the_stack(0);
      else
        raise(SIGUSR1);
    }
    expect_write(a + (how == OVERFLOW ? 20 : 10) * PAGE + how, 1);
    expect_write(a + 30 * PAGE, PAGE + 1);
    a[how * PAGE] = 1;
    expect_write(a + how * PAGE, 1);
    end_period();
  }
  stack.ss_flags = SS_DISABLE;
  require(sigaltstack(&stack, NULL) == 0);
  free(stack.ss_sp);
  return unused;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  require(sigaction(SIGUSR1, &action, NULL) == 0);
  require(sigaction(SIGSEGV, &action, NULL) == 0);
  work(NULL);
  pthread_t thread;
  require(pthread_create(&thread, NULL, work, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  return 0;
}
