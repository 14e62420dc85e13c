/*===- cut_workers.c - Other processors help while threads stand -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A thread writes so many pages that a cut has much to read. Threads of the
// runtime's own read a part of it, and all that is read is of one instant. They
// rest between the cuts, and end with the recording.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t
// One processor has no other.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s taskset -c 0 %t

#include "cut_oracle.h"

#include <dirent.h>
#include <sched.h>

enum { PAGES = 1000, MOST_READERS = 4, WANTED_CUTS = 100 };

static void *writes_in_turn(void *unused) {
  for (int n = 1; !oracle_ends; ++n)
    for (int page = 0; page < PAGES && !oracle_ends; ++page)
      put_number(page, n);
  return unused;
}

/* The CPU time of the threads that help, and how many there are. */
static long helpers_us(int *count) {
  long sum = 0;
  *count = 0;
  DIR *tasks = opendir("/proc/self/task");
  require(tasks != NULL);
  for (struct dirent *entry; (entry = readdir(tasks));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file)
      continue;
    const int is_helper =
        fgets(name, sizeof name, file) && !strcmp(name, "pagetide-cut\n");
    fclose(file);
    if (!is_helper)
      continue;
    struct timespec time;
    const clockid_t clock = (~(clockid_t)atoi(entry->d_name) << 3) | 6;
    require(clock_gettime(clock, &time) == 0); /* of that thread */
    sum += time.tv_sec * 1000000L + time.tv_nsec / 1000;
    ++*count;
  }
  closedir(tasks);
  return sum;
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
  while (*(volatile int *)&cuts < WANTED_CUTS / 2 && !oracle_ends)
    usleep(1000);
  cpu_set_t processors;
  require(sched_getaffinity(0, sizeof processors, &processors) == 0);
  int wanted = CPU_COUNT(&processors), count;
  if (wanted > MOST_READERS)
    wanted = MOST_READERS;
  const long used = helpers_us(&count);
  printf("%d helpers used %ld us\n", count, used);
  require(count == wanted - 1);
  require((used > 0) == (count > 0));
  return unused;
}

int main(void) {
  int count;
  make_oracle();
  pthread_t writer, looker;
  require(pthread_create(&writer, NULL, writes_in_turn, NULL) == 0);
  require(pthread_create(&looker, NULL, looks, NULL) == 0);
  record_cuts(check, 10 * 1000 * 1000, WANTED_CUTS);
  pthread_join(writer, NULL);
  pthread_join(looker, NULL);
  helpers_us(&count);
  require(count == 0);
  return 0;
}
