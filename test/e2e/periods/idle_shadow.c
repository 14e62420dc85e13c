/*===- idle_shadow.c - Marks in parts of the shadow that were left alone ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: userfaultfd
// Each thread touches all of its granules and then, far apart in time, a few here
// and there, while the recorder collects. It leaves alone what had no marks for a
// period (idle_after=1), so that most of these marks are made where it does not
// look until the kernel tells it to: none is missing, and each is in its period.
// RUN: %known_sets --timed 1ms \
// RUN:   --ways O2/rw/12/near:thread,O2/access/12/near:process,O2/rw/6:thread \
// RUN:   --option idle_after=1 --arg left-alone --skip-carried %s
// RUN: %known_sets --timed 1ms --ways O2/rw/12/near --modes process \
// RUN:   --option idle_after=1 --option settle=20us --arg left-alone --arg asked \
// RUN:   --skip-carried %s
// The kernel may take the page of a mark out of the page table at any time, as when
// it pages memory out.
// RUN: %known_sets --timed 1ms --ways O2/rw/12/near --modes process \
// RUN:   --option idle_after=1 --arg taken-out --skip-carried %s
// The same where all of the shadow is looked at.
// RUN: %known_sets --timed 1ms --ways O2/rw/12/near --modes process \
// RUN:   --option idle_after=0 --arg looked-at --skip-carried %s

#include "known_times.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

// A place each in a page of the shadow of its own, or nearly so: that is for 128 or
// 256 granules where one has 16 cells of a kind, and for 2048 where it has one. The
// recorder leaves nothing alone before it looks at 256 pages.
enum {
  THREADS = 2,
  CHUNK = 4,
  FAR = GRANULE < 4096 ? 2048 : 256,
  PLACES = 600
};
enum { GRANULES = FAR * PLACES, VISITS = 8000 };
enum { STAMPS = PLACES + VISITS }; /* of a thread */

static char *a;
static struct stamp *stamps;
static int take_out;
static int running = THREADS;
static _Atomic long faults;

static NOINLINE void write_chunk(char *p) {
  for (size_t i = 0; i < CHUNK; ++i)
    ((volatile char *)p)[i * GRANULE] = 1;
}

/* The mapping that the calling thread's marks go to. */
static void find_shadow(char **begin, size_t *bytes) {
  enum { ARCH_GET_GS = 0x1004, SHADOW_BIAS = 0x7fff0000 }; /* abi.h */
  unsigned long base, from, to;
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  require(maps && syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0);
  base += SHADOW_BIAS;
  *begin = NULL;
  while (fgets(line, sizeof(line), maps))
    if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= base && base < to) {
      *begin = (char *)from;
      *bytes = to - from;
    }
  fclose(maps);
  require(*begin != NULL);
}

static void *work(void *argument) {
  size_t t = (size_t)argument;
  char *shadow;
  size_t shadow_bytes;
  struct stamp *s = stamps + t * STAMPS;
  uint64_t state = t;
  struct rusage before, after;
  find_shadow(&shadow, &shadow_bytes);
  for (size_t visit = 0; visit < PLACES + VISITS; ++visit) {
    if (visit == PLACES)
      getrusage(RUSAGE_THREAD, &before);
    size_t place = visit < PLACES ? visit : next_random(&state) % PLACES;
    char *p = a + (t * PLACES + place) * FAR * GRANULE;
    stamp_begin(s, p, CHUNK * GRANULE, 1);
    write_chunk(p);
    stamp_end(s++);
    if (take_out)
      require(madvise(shadow, shadow_bytes, MADV_DONTNEED) == 0);
    while (now_ns() < s[-1].after + 50000)
      sched_yield();
  }
  getrusage(RUSAGE_THREAD, &after);
  faults += after.ru_minflt - before.ru_minflt;
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char **argv) {
  require(argc == 2 || argc == 3);
  take_out = strcmp(argv[1], "taken-out") == 0;
  a = arena(0, (size_t)THREADS * GRANULES * GRANULE);
  stamps = map_stamps((size_t)THREADS * STAMPS);
  memset(stamps, 0, (size_t)THREADS * STAMPS * sizeof(struct stamp));
  require(madvise(a, (size_t)THREADS * GRANULES * GRANULE, MADV_NOHUGEPAGE) ==
          0);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  if (argc == 3)
    end_periods_while(&running);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  // A mark in a place where the recorder does not look takes a fault.
  if (strcmp(argv[1], "looked-at") != 0)
    require(faults > THREADS * VISITS / 10);
  else
    require(faults < THREADS * VISITS / 100);
  return 0;
}
