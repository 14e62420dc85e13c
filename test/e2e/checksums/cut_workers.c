/*===- cut_workers.c - Processes read pages for a cut ----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A thread writes so many pages that a cut has much to read. Processes of the
// runtime's own read them, one per processor, and all that is read is of one
// instant. The program's wait calls do not see them, and none outlives the
// recording.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t
// RUN: PAGETIDE_OPTIONS=cut_stop=2s taskset -c 0 %t
// If one is killed the recorder reads.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t kill

#include "cut_oracle.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { PAGES = 1000, MOST_READERS = 4, WANTED_CUTS = 100 };

static void *writes_in_turn(void *unused) {
  for (int n = 1; !oracle_ends; ++n)
    for (int page = 0; page < PAGES && !oracle_ends; ++page)
      put_number(page, n);
  return unused;
}

static int kills, killed, most_readers;

/* How many readers there are. Kills the first if that is wanted. */
static int readers(int kill_one) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  require(tasks != NULL);
  for (struct dirent *entry; (entry = readdir(tasks));) {
    char path[300], name[32];
    snprintf(path, sizeof path, "/proc/self/task/%s/children", entry->d_name);
    FILE *children = fopen(path, "r");
    if (!children)
      continue;
    for (int pid; fscanf(children, "%d", &pid) == 1;) {
      snprintf(path, sizeof path, "/proc/%d/comm", pid);
      FILE *file = fopen(path, "r");
      if (!file)
        continue;
      if (fgets(name, sizeof name, file) && !strcmp(name, "pagetide-read\n") &&
          ++count == 1 && kill_one)
        killed += kill(pid, SIGKILL) == 0;
      fclose(file);
    }
    fclose(children);
  }
  closedir(tasks);
  return count;
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  if (!learn(period))
    return;
  for (int page = 0; page < PAGES; ++page)
    if (known_numbers[page] == UNKNOWN)
      return;
  for (int page = 1; page < PAGES; ++page) {
    const int by = ahead(known_numbers[page - 1], known_numbers[page]);
    consistent(by == 0 || by == 1);
  }
  consistent(ahead(known_numbers[0], known_numbers[PAGES - 1]) <= 1);
}

static void *looks(void *unused) {
  for (int n = 0; !oracle_ends; ++n) {
    const int count = readers(kills && n % 8 == 0);
    if (count > most_readers)
      most_readers = count;
    require(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    usleep(1000);
  }
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  kills = argc > 1;
  make_oracle();
  pthread_t writer, looker;
  require(pthread_create(&writer, NULL, writes_in_turn, NULL) == 0);
  require(pthread_create(&looker, NULL, looks, NULL) == 0);
  record_cuts(check, 10 * 1000 * 1000, WANTED_CUTS);
  pthread_join(writer, NULL);
  pthread_join(looker, NULL);

  cpu_set_t processors;
  require(sched_getaffinity(0, sizeof processors, &processors) == 0);
  int wanted = CPU_COUNT(&processors);
  if (wanted > MOST_READERS)
    wanted = MOST_READERS;
  printf("at most %d readers, %d killed\n", most_readers, killed);
  require((killed > 0) == (kills > 0));
  require(most_readers == wanted);
  require(readers(0) == 0);
  require(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
  /* The kernel adds the times of processes that were awaited. */
  struct rusage used;
  require(getrusage(RUSAGE_CHILDREN, &used) == 0);
  require(used.ru_utime.tv_sec + used.ru_utime.tv_usec > 0);
  return 0;
}
