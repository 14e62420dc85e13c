/*===- cut_held.c - Cuts while somebody else stops threads -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// SIGSTOP stops a whole process, the recorder's threads too. A debugger holds one
// thread: then there is no cut while it does. Each cut that is made is right, and
// the program runs on.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: %plain_c -O1 -DHOLDER %s -o %t.holder
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=50ms timeout 100 %t %t.holder stop
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=50ms timeout 100 %t %t.holder hold \
// RUN:   | FileCheck %s
// CHECK: debugger

#ifdef HOLDER

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdio.h>

static void hold_for_a_moment(void) { usleep((useconds_t)(rand() % 20000)); }

/* One of the process's threads; 0 if it has gone. */
static pid_t any_thread(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *tasks = opendir(path);
  pid_t chosen = 0;
  int count = 0;
  for (struct dirent *task; tasks && (task = readdir(tasks));)
    if (task->d_name[0] != '.' && rand() % ++count == 0)
      chosen = (pid_t)atoi(task->d_name);
  if (tasks)
    closedir(tasks);
  return chosen;
}

/* Until the process has gone. */
int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const pid_t process = getppid();
  srand((unsigned)process);
  while (getppid() == process) {
    if (!strcmp(argv[1], "stop")) {
      kill(process, SIGSTOP);
      hold_for_a_moment();
      kill(process, SIGCONT);
    } else {
      const pid_t thread = any_thread(process);
      if (thread && ptrace(PTRACE_SEIZE, thread, 0, 0) == 0) {
        ptrace(PTRACE_INTERRUPT, thread, 0, 0);
        waitpid(thread, NULL, __WALL);
        hold_for_a_moment();
        ptrace(PTRACE_DETACH, thread, 0, 0);
      }
    }
    hold_for_a_moment();
  }
  return 0;
}

#else

#include "cut_oracle.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>

extern char **environ;

enum { FIRST = 0, SECOND = 500, LAST = 1000 };

static char reason[256];

static void *writes(void *unused) {
  for (int n = 1; !oracle_ends; ++n) {
    put_number(FIRST, n);
    spin(n % 50);
    put_number(SECOND, n);
    spin(n % 30);
    put_number(LAST, n);
  }
  return unused;
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  const int is_cut = learn(period);
  if (period->no_cut && (!*reason || strstr(period->no_cut, "debugger")))
    snprintf(reason, sizeof reason, "%s", period->no_cut);
  if (is_cut)
    check_written_in_turn(FIRST, SECOND, LAST);
}

int main(int argc, char **argv) {
  require(argc == 3);
  make_oracle();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  pthread_t thread;
  require(pthread_create(&thread, NULL, writes, NULL) == 0);
  char *arguments[] = {argv[1], argv[2], NULL};
  pid_t holder;
  require(posix_spawn(&holder, argv[1], NULL, NULL, arguments, environ) == 0);
  record_cuts(check, 5 * 1000 * 1000, 400);
  pthread_join(thread, NULL);
  kill(holder, SIGKILL);
  printf("%s\n", reason);
  return 0;
}

#endif
