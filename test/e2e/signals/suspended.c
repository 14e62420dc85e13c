/*===- suspended.c - A process that stands still for seconds ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// Stopped and continued from outside, between periods, while pages are hashed and
// while threads write: the period is longer, counts the ends that it missed, and
// every write is in its sets. (A thread that stood still between mark and write may
// not have run again when the recorder has: its page is carried.)
// RUN: %known_sets --ways O1 --timed 5ms --may-carry --arg stop %s
// RUN: %known_sets --ways O1 --modes process --timed 5ms --may-carry \
// RUN:   --checksum written --arg stop %s
// (suspended_by_freezer.test does it by the control groups' freezer.)
//
// A recorder that gets next to no time: it has the lowest priority on a processor
// on which a thread never rests.
// RUN: %known_sets --ways O1 --timed 2ms --may-carry --arg starve --timeout 120 %s
// (real_time.test: or whose processor a thread of SCHED_FIFO keeps.)

#include "known_times.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { PAGES = 512, STAMPS = 20000 };
static char *a;
static struct stamp *stamps;
static atomic_int next_stamp, quit, worked;
static atomic_ullong overruns, periods;

static void look(const pagetide_period *period, void *user) {
  (void)user;
  atomic_fetch_add(&overruns, period->overruns);
  atomic_fetch_add(&periods, 1);
}

static void *work(void *arg) {
  uint64_t random = (uint64_t)(uintptr_t)arg;
  while (!atomic_load(&quit)) {
    int i = atomic_fetch_add(&next_stamp, 1);
    if (i >= STAMPS)
      break;
    char *p = a + next_random(&random) % PAGES * PAGE;
    stamp_begin(&stamps[i], p, 1, 1);
    *(volatile char *)p = 1;
    stamp_end(&stamps[i]);
    usleep(200);
  }
  atomic_fetch_add(&worked, 1);
  return arg;
}

/* The thread whose name ps shows as `pagetide`. */
static int recorder_tid(void) {
  int found = 0;
  DIR *tasks = opendir("/proc/self/task");
  require(tasks != NULL);
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", atoi(entry->d_name));
    FILE *file = fopen(path, "r");
    if (!file)
      continue;
    if (fgets(name, sizeof name, file) && strcmp(name, "pagetide\n") == 0)
      found = atoi(entry->d_name);
    fclose(file);
  }
  closedir(tasks);
  require(found != 0);
  return found;
}

static void pin(int tid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  require(sched_setaffinity(tid, sizeof set, &set) == 0);
}

static void *never_rest(void *arg) {
  pin(0, *(int *)arg);
  while (!atomic_load(&quit))
    ;
  return arg;
}

/* Not for ever: whoever waits for this processor waits for its end. */
static void *keep_processor(void *arg) {
  pin(0, *(int *)arg);
  for (uint64_t end = now_ns() + 500000000; now_ns() < end;)
    ;
  return arg;
}

int main(int argc, char **argv) {
  require(argc > 1);
  const int starve = strcmp(argv[1], "starve") == 0;
  const int real_time = strcmp(argv[1], "real-time") == 0;
  stamps = map_stamps(STAMPS);
  a = arena(0, PAGES * PAGE);
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  pthread_t threads[3];
  int cpu = sched_getcpu();
  for (int i = 0; i < 2; ++i)
    require(pthread_create(&threads[i], NULL, work,
                           (void *)(uintptr_t)(i + 1)) == 0);
  if (starve) {
    int recorder = recorder_tid();
    struct sched_param none = {0};
    pin(recorder, cpu);
    require(sched_setscheduler(recorder, SCHED_IDLE, &none) == 0);
    require(pthread_create(&threads[2], NULL, never_rest, &cpu) == 0);
    while (atomic_load(&overruns) < 20)
      usleep(1000);
  } else if (real_time) {
    require(sched_getscheduler(0) == SCHED_FIFO);
    int recorder = recorder_tid();
    require(sched_getscheduler(recorder) == SCHED_FIFO); /* as its creator */
    pin(recorder, cpu);
    require(pthread_create(&threads[2], NULL, keep_processor, &cpu) == 0);
    /* Half a second of periods of 2 ms, less what the machine owes anyway. */
    while (atomic_load(&overruns) < 100)
      usleep(1000);
  } else {
    /* vfork and exec: the one who suspends is not recorded. */
    for (int round = 0; round < 2; ++round) {
      unsigned long long before = atomic_load(&overruns);
      char pid[32];
      snprintf(pid, sizeof pid, "%d", (int)getpid());
      int child = vfork();
      if (child == 0) {
        if (argc > 2) /* freeze.sh */
          execl("/bin/sh", "sh", argv[2], pid, "1", (char *)NULL);
        execl("/bin/sh", "sh", "-c", "kill -STOP $0; sleep 1; kill -CONT $0",
              pid, (char *)NULL);
        _exit(127);
      }
      int status;
      while (waitpid(child, &status, 0) < 0)
        require(errno == EINTR);
      require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      /* A second of periods of 5 ms, less what the machine owes anyway. */
      while (atomic_load(&overruns) < before + 100)
        usleep(1000);
    }
  }
  atomic_store(&quit, 1);
  for (int i = 0; i < 2 + starve + real_time; ++i)
    pthread_join(threads[i], NULL);
  require(atomic_load(&worked) == 2);
  return 0;
}
