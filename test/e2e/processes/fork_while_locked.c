/*===- fork_while_locked.c - fork while another thread is in the runtime ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Other threads hold locks of the runtime when the process forks. No thread of the
 * child holds them, so the child does not wait for them.
 *
 *===----------------------------------------------------------------------===*/

// RUN: %pagetide_clang -O1 -pthread %s -o %t.program
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.ptrace':period=0" %t.program | FileCheck %s
// CHECK: 200 children, none waited for a lock

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200, SECONDS = 10 };

static void on_fault(int number) { (void)number; }

static void set_handler(void) { signal(SIGSEGV, on_fault); }
static void get_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
}

static void *repeat(void *call) {
  for (;;)
    ((void (*)(void))call)();
  return NULL;
}

int main(void) {
  void (*const calls[])(void) = {set_handler, get_limit};
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, repeat, (void *)calls[i]))
      return 1;
  }
  int waited = 0;
  for (int i = 0; i < CHILDREN && !waited; ++i) {
    const pid_t child = fork();
    if (child < 0)
      return 1;
    if (!child) {
      set_handler();
      get_limit();
      _exit(0);
    }
    // The runtime blocks signals while it waits for a lock, but not SIGKILL.
    int status, ended = 0;
    for (int ms = 0; !ended && ms < SECONDS * 1000; ++ms) {
      ended = waitpid(child, &status, WNOHANG);
      if (!ended)
        usleep(1000);
    }
    if (ended < 0 || (ended && status))
      return 1;
    waited = !ended;
    if (waited)
      kill(child, SIGKILL);
  }
  if (waited)
    puts("a child waited for a lock that nobody holds");
  else
    printf("%d children, none waited for a lock\n", CHILDREN);
  fflush(stdout);
  _exit(0);
}
