/* Starts to record while it runs, with a thread that was there before. */

#include "recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

const char *__pagetide_default_options(void) { return "marks=late"; }

enum { PAGES = 16 };
static char memory[2 * PAGES * 4096] __attribute__((aligned(4096)));
static atomic_int step;

static void wait_for(int wanted) {
  while (atomic_load(&step) < wanted)
    sched_yield();
}
NOINLINE void touch(char *p) { p[0] = 1; }

static void *before(void *unused) {
  (void)unused;
  wait_for(1);
  for (int i = 0; i < PAGES; ++i)
    touch(memory + i * PAGE);
  atomic_store(&step, 2);
  return NULL;
}

static size_t pages_seen(const char *from, size_t pages) {
  size_t found = 0;
  for (size_t i = 0; i < pages; ++i)
    for (size_t r = 0; r < seen.run_count; ++r)
      found += (uintptr_t)from + i * PAGE - seen.runs[r].address <
               seen.runs[r].bytes;
  return found;
}

int main(void) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, before, NULL) == 0);
  touch(memory + PAGES * PAGE); /* nobody records */
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  start_driven();
  atomic_store(&step, 1);
  wait_for(2);
  touch(memory + (PAGES + 1) * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 1);
  require_equal(pages_seen(memory, PAGES), PAGES);
  require_equal(pages_seen(memory + PAGES * PAGE, 1), 0);
  require_equal(pages_seen(memory + (PAGES + 1) * PAGE, 1), 1);
  require_status(pagetide_stop(), PAGETIDE_OK);
  pthread_join(thread, NULL);
  puts("ok");
  return 0;
}
