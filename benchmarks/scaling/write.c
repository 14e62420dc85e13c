//===- write.c - Threads that write some pages of many --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: write THREADS STEPS PAGES WORK PAUSE_US
//
// Touches 1 GiB. Then each thread makes STEPS steps: it writes PAGES random
// pages, works on memory of its own for WORK rounds, and sleeps for PAUSE_US.
// Prints a number that depends on all of it.

#include "../programs.h"

#include <pthread.h>

enum { PAGE = 4096, PAGES = 1 << 18, OWN = 1 << 15 };

static char *memory;
static long steps, pages, work, pause_us;

struct thread {
  pthread_t id;
  uint64_t state, sum;
  uint32_t own[OWN / sizeof(uint32_t)];
};

static void *run(void *argument) {
  struct thread *thread = argument;
  for (long step = 0; step < steps; ++step) {
    for (long i = 0; i < pages; ++i) {
      const uint64_t at = next_random(&thread->state) % PAGES * PAGE;
      thread->sum += (uint64_t)memory[at + (uint64_t)step % PAGE]++;
    }
    for (long i = 0; i < work; ++i) {
      uint32_t *word = &thread->own[(size_t)i * 17 % (OWN / sizeof *word)];
      *word = *word * 2654435761u + (uint32_t)i;
      thread->sum += *word;
    }
    if (pause_us) {
      const struct timespec pause = {0, pause_us * 1000};
      nanosleep(&pause, NULL);
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: write THREADS STEPS PAGES WORK PAUSE_US\n");
    return 2;
  }
  const int count = atoi(argv[1]);
  steps = atol(argv[2]);
  pages = atol(argv[3]);
  work = atol(argv[4]);
  pause_us = atol(argv[5]);
  memory = mapped((uint64_t)PAGES * PAGE);
  struct thread *threads = calloc((size_t)count, sizeof *threads);
  if (!threads)
    fail("write: calloc");
  for (size_t n = 0; n < PAGES; ++n)
    memory[n * PAGE] = 1;
  for (int n = 0; n < count; ++n) {
    threads[n].state = (uint64_t)n;
    if (pthread_create(&threads[n].id, NULL, run, &threads[n]) != 0) {
      fprintf(stderr, "write: no thread\n");
      return 2;
    }
  }
  uint64_t sum = 0;
  for (int n = 0; n < count; ++n) {
    pthread_join(threads[n].id, NULL);
    sum += threads[n].sum;
  }
  printf("%d\n", sum != 0);
  return 0;
}
