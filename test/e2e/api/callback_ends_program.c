/*===- callback_ends_program.c - exit, exec and the last thread ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A program that ends from within a period callback: the period that the
// callback was given, and what came after it, are in the trace; on the thread
// that ends a period and on the callback's own. If exec fails, everything is as
// it was.
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg _exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg quick_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg stop_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg abort --status -6 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg exec --status 0 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg exec_fails --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg exit_of_thread --status 7 %s
// The clock ends the periods, on a thread of the runtime's.
// RUN: %known_sets --ways O1 --traces 1 --info complete --timed 5ms \
// RUN:   --arg timed_exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --timed 5ms \
// RUN:   --arg timed_exec_fails --status 7 %s
// That thread does not keep the program alive: it ends with the last of its
// threads, whoever that is, and the handlers of exit() are recorded.
// RUN: %known_sets --ways O1 --traces 1 --info complete --modes process \
// RUN:   --may-carry --arg main_leaves %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --modes process \
// RUN:   --may-carry --arg threads_leave %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --modes process \
// RUN:   --may-carry --arg child_leaves --traces 2 %s

#include "known_times.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

static char *a;
static const char *how;
static int timed, calls, failed_exec;
static int parking; /* 1: main is to stand still; 2: it does */
static struct stamp *stamps;
static char word[1 << 18]; /* more than exec takes */
static int used;

static int is(const char *name) { return strcmp(how, name) == 0; }

static void touch(int page) {
  if (timed) {
    struct stamp *s = &stamps[used++];
    stamp_begin(s, a + page * PAGE, 1, 1);
    a[page * PAGE] = 1;
    stamp_end(s);
  } else {
    a[page * PAGE] = 1;
    expect_write(a + page * PAGE, 1);
  }
}

static void on_period(const pagetide_period *period, void *unused) {
  (void)period, (void)unused;
  int call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (is("main_leaves") || is("threads_leave") || is("child_leaves"))
    return;
  if (call != 2)
    return;
  a[60 * PAGE] = 1; /* a callback's accesses are left out */
  require_equal(pagetide_period_end(), PAGETIDE_BUSY);
  char *missing[] = {(char *)"missing", NULL};
  char *too_long[] = {(char *)"true", word, NULL};
  char *present[] = {(char *)"true", NULL};
  if (is("exec"))
    execv("/bin/true", present);
  if (is("exec_fails") || is("timed_exec_fails")) {
    execv("/nowhere/missing", missing); /* ends no period */
    require_equal(pagetide_period_end(), PAGETIDE_BUSY);
    memset(word, 'x', sizeof word - 1);
    require(execv("/bin/true", too_long) == -1 && errno == E2BIG);
    require_equal(pagetide_period_end(), PAGETIDE_BUSY);
    ++known_period_; /* this one does */
    __atomic_store_n(&failed_exec, 1, __ATOMIC_SEQ_CST);
    return;
  }
  if (is("_exit"))
    _exit(7);
  if (is("quick_exit"))
    quick_exit(7);
  if (is("abort"))
    abort();
  if (timed) { /* what main wrote after the end would be in no set */
    __atomic_store_n(&parking, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&parking, __ATOMIC_SEQ_CST) != 2)
      sched_yield();
  }
  exit(7);
}

static void at_exit(void) {
  if (is("main_leaves") || is("threads_leave") || is("child_leaves"))
    expect_at(known_period_, 0, a + 50 * PAGE, 1, "w"), a[50 * PAGE] = 1;
}

static void *ends_period(void *unused) {
  end_period();
  return unused;
}

static void *leaves(void *argument) {
  touch(20 + (int)(size_t)argument);
  return NULL;
}

static void leave(void) {
  touch(2);
  pthread_exit(NULL);
}

int main(int argc, char **argv) {
  require(argc == 2);
  how = argv[1];
  timed = strncmp(how, "timed", 5) == 0;
  a = arena(0, 64 * PAGE);
  if (timed)
    stamps = map_stamps(1000);
  require_status(pagetide_on_period(on_period, NULL), PAGETIDE_OK);
  atexit(at_exit); /* before the callback is given the last period */
  if (timed) {
    for (int i = 0; i < 900; ++i) {
      touch(i % 40);
      if (__atomic_load_n(&failed_exec, __ATOMIC_SEQ_CST)) {
        /* Callbacks go on. */
        int before = __atomic_load_n(&calls, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < before + 2)
          sched_yield();
        touch(50);
        exit(7);
      }
      if (__atomic_load_n(&parking, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&parking, 2, __ATOMIC_SEQ_CST);
        break;
      }
      uint64_t next = now_ns() + 2000000;
      while (now_ns() < next)
        sched_yield();
    }
    pause();
  }
  touch(0);
  end_period();
  touch(1);
  if (is("main_leaves"))
    leave();
  if (is("threads_leave")) {
    pthread_t threads[4];
    for (size_t t = 0; t < 4; ++t)
      require(pthread_create(&threads[t], NULL, leaves, (void *)t) == 0);
    leave();
  }
  if (is("child_leaves")) {
    int pid = fork(), status;
    require(pid >= 0);
    if (pid == 0) {
      known_sets_after_fork();
      leave();
    }
    require(waitpid(pid, &status, 0) == pid);
    require_equal(status, 0);
    return 0;
  }
  if (is("stop_exit"))
    pagetide_stop();
  if (is("exit_of_thread")) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, ends_period, NULL) == 0);
    pause();
  }
  end_period();
  require(is("exec_fails"));
  touch(3);
  end_period();
  require_equal(calls, 3);
  touch(4);
  return 7;
}
