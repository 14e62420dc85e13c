//===- crowd.c - Many threads start, work and end -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: crowd busy|asleep THREADS STEPS
//
// THREADS threads are made. All live at once: none ends before the last has
// worked. Each does STEPS stores to random ones of 16 pages of its own.
// `asleep`: it then waits until it is woken; `busy`: it gives up its processor
// until all are there. Prints nanoseconds as JSON: for one pthread_create (wall
// time, mean), for all from the first pthread_create to the last pthread_join
// (wall time, and processor time of the process), and of a thread's processor
// time per step, once its pages have been touched.

#include "../programs.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { kPages = 16, kPageBytes = 4096, kStackBytes = 64 * 1024 };

static uint64_t threads, steps;
static int busy;
static char *memory;
static uint64_t here, work_ns;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;

__attribute__((noinline)) static void work(char *pages, uint64_t random) {
  for (uint64_t i = 0; i < steps; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    *(volatile uint64_t *)(pages + random % kPages * kPageBytes) = i;
  }
}

static void *run(void *argument) {
  const uint64_t number = (uint64_t)(uintptr_t)argument;
  for (size_t page = 0; page < kPages; ++page) // what a first touch costs
    *(volatile char *)(memory + (number * kPages + page) * kPageBytes) = 1;
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  work(memory + number * kPages * kPageBytes, number + 1);
  __atomic_fetch_add(&work_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - before,
                     __ATOMIC_RELAXED);
  if (busy) {
    __atomic_fetch_add(&here, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&here, __ATOMIC_ACQUIRE) < threads)
      sched_yield();
    return NULL;
  }
  pthread_mutex_lock(&mutex);
  if (++here == threads)
    pthread_cond_broadcast(&all_here);
  while (here < threads)
    pthread_cond_wait(&all_here, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc == 4) {
    busy = !strcmp(argv[1], "busy");
    threads = strtoull(argv[2], NULL, 10);
    steps = strtoull(argv[3], NULL, 10);
  }
  if (!threads || !steps || (!busy && strcmp(argv[1], "asleep"))) {
    fprintf(stderr, "usage: crowd busy|asleep THREADS STEPS\n");
    return 2;
  }
  pthread_t *all = calloc(threads, sizeof(*all));
  memory = mapped(threads * kPages * kPageBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  if (!all)
    fail("calloc");
  const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const uint64_t begin = now_ns();
  for (uint64_t t = 0; t < threads; ++t)
    if (pthread_create(&all[t], &attributes, run, (void *)(uintptr_t)t))
      return 1;
  const uint64_t made = now_ns();
  for (uint64_t t = 0; t < threads; ++t)
    pthread_join(all[t], NULL);
  const uint64_t end = now_ns();
  printf("{\"create_ns\": %" PRIu64 ", \"all_ns\": %" PRIu64
         ", \"cpu_ns\": %" PRIu64 ", \"step_ns\": %.3f}\n",
         (made - begin) / threads, end - begin,
         clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu,
         (double)work_ns / (double)(threads * steps));
  return 0;
}
