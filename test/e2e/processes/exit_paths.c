/*===- exit_paths.c - However a program ends, its last period is written ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O1 --traces 1 --info complete --arg return --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg _exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg _Exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg quick_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg thread_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg main_pthread_exit %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg abort --status -6 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg abort_handled --status -6 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg abort_jumped --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg bare_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg bare_exit_before_thread --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg strict --status -9 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg filter --status -31 %s
// The same, and deaths that nobody in the process can witness, under record.
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg return --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg _exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg main_pthread_exit %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg abort --status -6 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg SIGTERM --status -15 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg SIGSEGV --status -11 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg SIGKILL --status -9 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg exit_group --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg bare_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --under-record --arg strict --status -9 %s

#include "known_sets.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>

static char *a;
static int last_of_all; /* the thread that exits has ended as a thread */

static void touch(int page) {
  a[page * PAGE] = 1;
  expect_at(known_period_, last_of_all ? 0 : thread_id(), a + page * PAGE, 1,
            "w");
}

static void at_exit(void) { touch(10); }
static void at_quick_exit_(void) { touch(11); }
__attribute__((destructor)) static void in_destructor(void) {
  if (a)
    touch(12);
}
static void on_abort(int signal) {
  (void)signal;
  touch(13);
}
static sigjmp_buf alive;
static void on_abort_jump(int signal) {
  (void)signal;
  touch(17);
  siglongjmp(alive, 1);
}
static void *exits(void *unused) {
  touch(14);
  exit(7);
  return unused;
}
/* libc does not see this thread's end. */
static void leave_alone(int status) {
  __asm__ volatile("syscall"
                   :
                   : "a"(SYS_exit), "D"(status)
                   : "rcx", "r11", "memory");
}
static void *comes_last(void *unused) {
  usleep(50000);
  touch(20);
  leave_alone(3);
  return unused;
}
/* The kernel ends this thread alone when it makes the call. */
static void end_by_filter(void) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {4, steps};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
  getppid();
}
static void *outlives_main(void *main_thread) {
  pthread_join(*(pthread_t *)main_thread, NULL);
  touch(15);
  end_period();
  touch(16);
  last_of_all = 1;
  return NULL;
}

int main(int argc, char **argv) {
  require(argc == 2);
  const char *how = argv[1];
  a = arena(0, 64 * PAGE);
  atexit(at_exit);
  at_quick_exit(at_quick_exit_);
  touch(0);
  end_period();
  touch(1);
  pthread_t thread;
  static pthread_t main_thread;
  if (strcmp(how, "return") == 0)
    return 7;
  if (strcmp(how, "exit") == 0)
    exit(7);
  if (strcmp(how, "_exit") == 0)
    _exit(7);
  if (strcmp(how, "_Exit") == 0)
    _Exit(7);
  if (strcmp(how, "quick_exit") == 0)
    quick_exit(7);
  if (strcmp(how, "exit_group") == 0)
    syscall(SYS_exit_group, 7);
  if (strcmp(how, "bare_exit") == 0)
    leave_alone(7);
  if (strcmp(how, "bare_exit_before_thread") == 0) {
    require(pthread_create(&thread, NULL, comes_last, NULL) == 0);
    leave_alone(7);
  }
  if (strcmp(how, "strict") == 0) {
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    getppid();
  }
  if (strcmp(how, "filter") == 0)
    end_by_filter();
  if (strcmp(how, "thread_exit") == 0) {
    require(pthread_create(&thread, NULL, exits, NULL) == 0);
    pause();
  }
  if (strcmp(how, "main_pthread_exit") == 0) {
    main_thread = pthread_self();
    require(pthread_create(&thread, NULL, outlives_main, &main_thread) == 0);
    pthread_exit(NULL);
  }
  if (strcmp(how, "abort_handled") == 0)
    signal(SIGABRT, on_abort);
  /* An abort that is none: the program lives on. */
  if (strcmp(how, "abort_jumped") == 0) {
    signal(SIGABRT, on_abort_jump);
    if (sigsetjmp(alive, 1) == 0)
      abort();
    touch(18);
    end_period();
    touch(19);
    exit(7);
  }
  if (strncmp(how, "abort", 5) == 0)
    abort();
  if (strcmp(how, "SIGTERM") == 0)
    raise(SIGTERM);
  if (strcmp(how, "SIGKILL") == 0)
    raise(SIGKILL);
  if (strcmp(how, "SIGSEGV") == 0) {
    mprotect(a + 40 * PAGE, PAGE, PROT_NONE);
    expect_write(a + 40 * PAGE, 1); /* attempted */
    *(volatile char *)(a + 40 * PAGE) = 1;
  }
  require(!"a known way to end");
}
