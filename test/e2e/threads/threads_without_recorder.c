/*===- threads_without_recorder.c - Threads start while the recorder cannot run ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A tracer holds the recorder's thread, as a busy machine may. Meanwhile 300
// threads start and end, and 300 more start: those with a shadow of their own,
// those that share one, and those that come after others have ended. None of
// them waits for the recorder. Nothing of theirs is lost.
// RUN: %build_c -O1 %s -o %t
// RUN: env PAGETIDE_OPTIONS=verbosity=0 %t
// Sixteen times as many have a shadow of their own.
// RUN: %build_c -O1 -Xclang -mllvm -Xclang -pagetide-precision=exact %s -o %t.exact
// RUN: env PAGETIDE_OPTIONS=verbosity=0 %t.exact

#include "recording.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { THREADS = 300, ROUNDS = 2, PATIENCE = 120 };

static char *a;
static pthread_barrier_t all_here;

static void *work(void *page) {
  write_byte((char *)page);
  pthread_barrier_wait(&all_here);
  return NULL;
}

/* The thread that Pagetide's runtime calls so. */
static pid_t recorder(void) {
  DIR *tasks = opendir("/proc/self/task");
  require(tasks != NULL);
  pid_t found = 0;
  for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE *comm = fopen(path, "r");
    if (comm && fgets(name, sizeof name, comm) && !strcmp(name, "pagetide\n"))
      found = (pid_t)atoi(task->d_name);
    if (comm)
      fclose(comm);
  }
  closedir(tasks);
  return found;
}

/* In a process of its own: holds a thread from the first byte to the second. */
static void hold(int orders, int answers) {
  pid_t thread;
  char byte = 0;
  require(read(orders, &thread, sizeof thread) == sizeof thread);
  require(ptrace(PTRACE_SEIZE, thread, 0, 0) == 0);
  require(ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0);
  require(waitpid(thread, NULL, __WALL) == thread);
  require(write(answers, &byte, 1) == 1);
  require(read(orders, &byte, 1) == 1);
  require(ptrace(PTRACE_DETACH, thread, 0, 0) == 0);
  require(write(answers, &byte, 1) == 1);
  _exit(0);
}

static void start_and_end_threads(char *pages) {
  static pthread_t threads[THREADS];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * KIB);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], &attributes, work, pages + t * PAGE) ==
            0);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
}

int main(void) {
  int orders[2], answers[2];
  char byte = 0;
  require(pipe(orders) == 0 && pipe(answers) == 0);
  const pid_t holder = fork();
  require(holder >= 0);
  if (holder == 0)
    hold(orders[0], answers[1]);
  prctl(PR_SET_PTRACER, holder, 0, 0, 0); /* fails without Yama */
  a = arena(0, (ROUNDS * THREADS + 1) * PAGE);
  pthread_barrier_init(&all_here, NULL, THREADS);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  start_driven();

  const pid_t thread = recorder();
  require(thread > 0);
  alarm(PATIENCE); /* a thread that waits for the recorder waits for ever */
  require(write(orders[1], &thread, sizeof thread) == sizeof thread);
  require(read(answers[0], &byte, 1) == 1);
  for (size_t round = 0; round < ROUNDS; ++round)
    start_and_end_threads(a + round * THREADS * PAGE);
  require(write(orders[1], &byte, 1) == 1);
  require(read(answers[0], &byte, 1) == 1);
  require(waitpid(holder, NULL, 0) == holder);

  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (size_t t = 0; t < ROUNDS * THREADS; ++t)
    require(flags_of(0, a + t * PAGE) == PAGETIDE_WRITTEN);
  require(flags_of(0, a + ROUNDS * THREADS * PAGE) == 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
