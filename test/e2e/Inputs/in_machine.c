/*===- in_machine.c - What a test needs a machine of its own for -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <stdatomic.h>
#include <time.h>

/*===- The wall clock is set -----------------------------------------------===*/

static char *page;
static atomic_uint periods, with_page;
static uint64_t last_end;

static void look(const pagetide_period *period, void *user) {
  (void)user;
  /* One after the other, and none as long as a step. */
  require(period->start_ns >= last_end && period->end_ns >= period->start_ns);
  require(period->end_ns - period->start_ns < UINT64_C(600000000000));
  last_end = period->end_ns;
  for (size_t i = 0; i < period->thread_count; ++i)
    for (size_t j = 0; j < period->threads[i].run_count; ++j) {
      const pagetide_run *run = &period->threads[i].runs[j];
      if ((uintptr_t)page - run->address < run->bytes)
        atomic_fetch_add(&with_page, 1);
    }
  atomic_fetch_add(&periods, 1);
}

static void step_clock(time_t seconds) {
  struct timespec now, then;
  require(clock_gettime(CLOCK_REALTIME, &now) == 0);
  now.tv_sec += seconds;
  require(clock_settime(CLOCK_REALTIME, &now) == 0);
  require(clock_gettime(CLOCK_REALTIME, &then) == 0);
  require(then.tv_sec - now.tv_sec >= 0 && then.tv_sec - now.tv_sec < 600);
  /* Were anything to wait for the wall clock, these would not come today. */
  unsigned before = atomic_load(&periods), seen = atomic_load(&with_page);
  while (atomic_load(&periods) < before + 20 ||
         atomic_load(&with_page) <= seen) {
    *(volatile char *)page = 1;
    usleep(1000);
  }
}

static int clock_is_set(void) {
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  require_status(pagetide_set_period(2000000), PAGETIDE_OK);
  step_clock(0);
  step_clock(-86400);
  step_clock(3 * 86400);
  step_clock(-2 * 86400);
  return 0;
}

int main(int argc, char **argv) {
  require(argc > 1);
  char *a = arena(0, 16 * PAGE);
  page = a;
  if (strcmp(argv[1], "clock-is-set") == 0)
    return clock_is_set();
  a[0] = 1;
  if (strcmp(argv[1], "leave-out") == 0) {
    require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
    a[PAGE] = 1;
    require_status(pagetide_leave_out_end(), PAGETIDE_OK);
    require_equal(pagetide_query(a + PAGE, 1), 0);
    require_equal(pagetide_query(a, 1), PAGETIDE_WRITTEN);
    return 0;
  }
  void *far = (void *)(UINT64_C(1) << 50);
  char *p = (char *)mmap(far, PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p != MAP_FAILED && (uintptr_t)p >> 47 == 0);
  *p = 1;
  /* By itself the kernel would have gone there; the recorder says so. */
  p = (char *)syscall(SYS_mmap, far, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p == far);
  usleep(200 * 1000); /* mappings are looked at every 100 ms */
  end_period();
  return 0;
}
