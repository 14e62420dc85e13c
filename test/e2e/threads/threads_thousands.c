/*===- threads_thousands.c - 20,000 threads one after the other ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Slots are used again: after ten times as many threads the process maps no
// more shadow, holds no more pages of it and no more page tables.
// RUN: %known_sets --may-carry --ways O2 --modes thread %s

#include "known_sets.h"

#include <pthread.h>

enum { BATCH = 10, THREADS = 20000, WARM_UP = 2000 };

static char *a;

/* The number behind `name` in /proc/self/status, in KiB. */
static long status_kib(const char *name) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/status", "r");
  require(file != NULL);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0)
      value = strtol(line + strlen(name), NULL, 10);
  fclose(file);
  require(value >= 0);
  return value;
}

static void *work(void *page) {
  *(volatile char *)page = 1;
  expect_write(page, 1);
  return NULL;
}

static struct figures {
  long shared, own, tables, slots;
} look(int made) {
  struct figures now = {
      status_kib("RssShmem:"), status_kib("RssAnon:"), status_kib("VmPTE:"),
      /* Nothing else here maps 64 GiB. */
      status_kib("VmSize:") / (long)(64 * MIB)};
  fprintf(stdout, "after %d threads: shadow %ld KiB, own memory %ld KiB, page "
          "tables %ld KiB, %ld slots\n", made, now.shared, now.own, now.tables,
          now.slots);
  return now;
}

int main(void) {
  a = arena(0, BATCH * PAGE);
  struct figures first = {0, 0, 0, 0}, last;
  for (int made = 0; made < THREADS; made += BATCH) {
    pthread_t threads[BATCH];
    for (size_t i = 0; i < BATCH; ++i)
      require(pthread_create(&threads[i], NULL, work, a + i * PAGE) == 0);
    for (size_t i = 0; i < BATCH; ++i)
      require(pthread_join(threads[i], NULL) == 0);
    if ((made + BATCH) % 500 == 0)
      end_period();
    if (made + BATCH == WARM_UP)
      first = look(WARM_UP);
  }
  last = look(THREADS);
  require(first.slots > 0);
  /* Ten at a time, sixteen that wait to be emptied, and some that had ended to
   * pthread_join but not to the recorder. */
  require(last.slots < 64);
  /* A page a thread would be 72 MiB more. Page sets that wait for the disk are
   * in here too. */
  require(last.shared < first.shared + 24 * 1024);
  require(last.tables < first.tables + 1024);
  require(last.own < first.own + 2048);
  return 0;
}
