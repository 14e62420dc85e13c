/*===- known_times.h - Accesses stamped with the times around them ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* For periods that the clock ends. Every access to a watched arena is stamped:
 * the time before, the access, a fence (so that its mark is visible to others),
 * the time after. known_sets.py --timed then finds the periods in which the
 * access may be reported, and must be. The stamps lie in the mapped file
 * $PAGETIDE_STAMPS: they outlive the process. */

#pragma once

#include "known_sets.h"

#include <time.h>

struct stamp { /* page_sets.py, STAMP */
  uint64_t address;
  uint64_t before, after; /* CLOCK_MONOTONIC ns; before 0: not filled */
  uint32_t bytes, pid, tid;
  uint32_t written; /* 2: both ends are marked, perhaps in two periods */
};

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Room for `count` stamps. To be called once. Waits until the file $PAGETIDE_GO
 * is there, if that is set. */
static inline struct stamp *map_stamps(size_t count) {
  const char *go = getenv("PAGETIDE_GO");
  while (go && access(go, F_OK) != 0)
    usleep(1000);
  const char *path = getenv("PAGETIDE_STAMPS");
  require(path != NULL);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  size_t bytes = count * sizeof(struct stamp);
  require(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  require(p != MAP_FAILED);
  close(fd);
  return (struct stamp *)p;
}

static inline void stamp_begin(struct stamp *s, const volatile void *p,
                               size_t bytes, int written) {
  s->address = (uintptr_t)p;
  s->bytes = (uint32_t)bytes;
  s->pid = (uint32_t)getpid();
  s->tid = (uint32_t)thread_id();
  s->written = (uint32_t)written;
  s->before = now_ns();
  COMPILER_BARRIER();
}
static inline void stamp_end(struct stamp *s) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  s->after = now_ns();
}

/* Ends a period every 100 us while *running is not 0. */
static inline void end_periods_while(const int *running) {
  while (__atomic_load_n(running, __ATOMIC_SEQ_CST)) {
    uint64_t next = now_ns() + 100000;
    require_status(pagetide_period_end(), PAGETIDE_OK);
    while (now_ns() < next) {
    }
  }
}

/* A random sequence that is the same in every run. */
static inline uint64_t next_random(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}
