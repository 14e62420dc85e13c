/*===- control_signal.c - The signal of pagetide ctl is as any other -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The runtime has a handler for it, and a program that has set no action does
 * not notice: it is told SIG_DFL, and the signal ends it. That holds for
 * signals of every source. ctl.test has ctl's own.
 *
 * RUN: %build_c -O1 -Wno-deprecated-declarations %s -o %t
 * RUN: %clang -O1 -Wno-deprecated-declarations %s -o %t.plain && %t.plain > %t.want
 * RUN: grep -c 'ends by 60' %t.want | grep -x 3
 * RUN: %t > %t.out && diff %t.want %t.out
 * RUN: %pagetide record -o %t.trace -- %t > %t.out && diff %t.want %t.out
 *
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNAL = 60 };

static void handle(int number) { (void)number; }

static void show(const char *when) {
  struct sigaction action;
  memset(&action, 1, sizeof action);
  const int result = sigaction(SIGNAL, NULL, &action);
  printf("%s: %d, default %d, flags %x, mask %d\n", when, result,
         action.sa_handler == SIG_DFL, (unsigned)action.sa_flags,
         sigismember(&action.sa_mask, SIGUSR1));
}

static void send(int how) {
  const union sigval value = {.sival_int = 5};
  if (how == 0)
    raise(SIGNAL);
  else if (how == 1)
    kill(getpid(), SIGNAL);
  else
    sigqueue(getpid(), SIGNAL, value);
}

int main(void) {
  struct sigaction mine = {.sa_handler = handle}, was;
  show("at first");
  printf("sigset: default %d\n", sigset(SIGNAL, SIG_HOLD) == SIG_DFL);
  printf("sigset: held %d\n", sigset(SIGNAL, SIG_DFL) == SIG_HOLD);
  for (int how = 0; how < 3; ++how) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      send(how);
      _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("way %d ends by %d\n", how, WTERMSIG(status));
  }
  void *before = signal(SIGNAL, handle);
  printf("signal: default %d\n", before == (void *)SIG_DFL);
  for (int how = 0; how < 3; ++how)
    send(how);
  before = signal(SIGNAL, SIG_DFL);
  printf("signal: own %d\n", before == (void *)handle);
  sigaction(SIGNAL, &mine, &was);
  printf("sigaction: default %d\n", was.sa_handler == SIG_DFL);
  sigaction(SIGNAL, &was, &mine);
  printf("sigaction: own %d\n", mine.sa_handler == handle);
  show("at last");
  printf("sigset: default %d\n", sigset(SIGNAL, handle) == SIG_DFL);
  send(0);
  printf("sigset: own %d\n", sigset(SIGNAL, SIG_DFL) == handle);
  show("set back");
  printf("ignored: %d\n", sigignore(SIGNAL));
  send(0);
  show("ignored");
  return 0;
}
