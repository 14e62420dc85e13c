/*===- signals_storm.c - Signals while marks are made and collected --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A timer interrupts two threads ten thousand times per second. Its handler
// writes and reads pages and calls memset. The threads do the same, and the
// clock ends a period every millisecond. Every access of either is in its
// period; nothing else is.
// RUN: %known_sets --timed 1ms --ways O2,O2/access,O2/write,O2/rw/6 \
// RUN:   --skip-carried %s

#include "known_times.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { THREADS = 2, STAMPS = 15000, STORM = 6000, OWN = 700 };

static char *a, *storm;
static struct stamp *stamps;
static int handled; /* stamps that handlers have taken */
/* By thread, what a handler does in a thread's last instructions stands under
 * thread 0: it keeps still there. */
static __thread int ending;

/* Both ends of what memset writes are marked, and a period may end in between: the
 * page is then in both sets, as the contract says. */
enum { BOTH_ENDS = 2 };
static NOINLINE void set_bytes(char *page, int value, size_t bytes) {
  OPAQUE(bytes);
  memset(page, value, bytes);
}

static void in_handler(int signal) {
  int i = __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
  (void)signal;
  if (i >= STORM || ending)
    return;
  struct stamp *s = stamps + THREADS * STAMPS + i;
  char *page = storm + (size_t)i % OWN * PAGE;
  stamp_begin(s, page, 64, i % 3); /* 2: BOTH_ENDS */
  if (i % 3 == 0) {
    char value = *(volatile char *)page;
    OPAQUE(value);
  } else if (i % 3 == 1) {
    *(volatile char *)page = (char)i;
  } else {
    set_bytes(page, i, 64);
  }
  stamp_end(s);
}

static void *work(void *argument) {
  size_t t = (size_t)argument;
  uint64_t random = 99 + t;
  for (size_t i = 0; i < STAMPS; ++i) {
    struct stamp *s = stamps + t * STAMPS + i;
    uint64_t draw = next_random(&random);
    char *page = a + (t * OWN + draw % OWN) * PAGE;
    stamp_begin(s, page, 8, i % 2 ? 1 : BOTH_ENDS);
    if (i % 2)
      *(volatile uint64_t *)page = draw;
    else
      set_bytes(page, (int)draw, 8);
    stamp_end(s);
    /* So paced that the storm has its time. */
    while (now_ns() < s->after + 20000) {
    }
  }
  ending = 1;
  return NULL;
}

int main(void) {
  a = arena(0, (size_t)THREADS * OWN * PAGE);
  storm = arena(1, (size_t)OWN * PAGE);
  stamps = map_stamps(THREADS * STAMPS + STORM);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = in_handler;
  action.sa_flags = SA_RESTART;
  require(sigaction(SIGALRM, &action, NULL) == 0);
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec often = {{0, 100000}, {0, 100000}};
  require(timer_settime(timer, 0, &often, NULL) == 0);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  struct itimerspec never = {{0, 0}, {0, 0}};
  require(timer_settime(timer, 0, &never, NULL) == 0);
  require(handled > 500);
  return 0;
}
