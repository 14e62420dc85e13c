//===- share.c - Threads that work on private and shared pages ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: share private|neighbouring|shared THREADS STEPS
//
// Each thread does STEPS loads and stores of pages chosen at random. `private`:
// its pages are far from the others'; `neighbouring`: they lie between the
// others'; `shared`: all have the same pages, but no cache line in common, so
// that what slows them down is not the program. Prints what was computed, which
// is the same for every build, and, on standard error, the processor time of
// these threads in nanoseconds.

#include "../programs.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { kPages = 64, kMostThreads = 64, kPageBytes = 4096, kLineBytes = 64 };

/// Bytes from a thread's first page to the next thread's.
static uint64_t thread_bytes;
/// Bytes from a page of a thread's to its next.
static uint64_t page_bytes;
static uint64_t steps;
static char *memory;
static pthread_barrier_t start;

struct result {
  uint64_t sum, cpu_ns;
};
static struct result results[kMostThreads];

__attribute__((noinline)) static uint64_t work(char *first, uint64_t random) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < steps; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t *from = (uint64_t *)(first + random % kPages * page_bytes);
    uint64_t *to = (uint64_t *)(first + (random >> 32) % kPages * page_bytes);
    sum += *from;
    *to = sum ^ i;
  }
  return sum;
}

static void *run(void *argument) {
  const uint64_t number = (uint64_t)(uintptr_t)argument;
  pthread_barrier_wait(&start);
  const uint64_t sum = work(memory + number * thread_bytes,
                            number * UINT64_C(0x9E3779B97F4A7C15) + 1);
  results[number].cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  results[number].sum = sum;
  return NULL;
}

static int usage(void) {
  fprintf(stderr, "usage: share private|neighbouring|shared THREADS STEPS\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return usage();
  const unsigned threads = (unsigned)strtoul(argv[2], NULL, 10);
  steps = strtoull(argv[3], NULL, 10);
  if (!threads || threads > kMostThreads || !steps)
    return usage();
  if (!strcmp(argv[1], "private")) {
    thread_bytes = UINT64_C(1) << 30;
    page_bytes = kPageBytes;
  } else if (!strcmp(argv[1], "neighbouring")) {
    thread_bytes = kPageBytes;
    page_bytes = (uint64_t)threads * kPageBytes;
  } else if (!strcmp(argv[1], "shared")) {
    thread_bytes = kLineBytes;
    page_bytes = kPageBytes;
  } else {
    return usage();
  }
  memory = mapped(threads * thread_bytes + kPages * page_bytes);
  pthread_t ids[kMostThreads];
  pthread_barrier_init(&start, NULL, threads);
  for (unsigned i = 0; i < threads; ++i)
    if (pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i) != 0) {
      fprintf(stderr, "share: a thread cannot be made\n");
      return 2;
    }
  uint64_t sum = 0, cpu_ns = 0;
  for (unsigned i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    sum = sum * 31 + results[i].sum;
    cpu_ns += results[i].cpu_ns;
  }
  printf("%016" PRIx64 "\n", sum);
  fprintf(stderr, "%" PRIu64 "\n", cpu_ns);
  return 0;
}
