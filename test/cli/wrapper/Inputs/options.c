/* Touches an arena in the ways in which options of compilers matter, and states what it
 * touched: by globals, the heap, a thread and its own variable, functions called by
 * pointers, and in C++ behind a catch. `plain` builds state nothing. */

#ifdef PLAIN
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#define PAGE ((size_t)4096)
#define STATE(what, p) ((void)0)
static char *made(size_t bytes) {
  void *p = mmap((void *)0x100000000000, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return (char *)p;
}
#else
#include "known_sets.h"
#include <pthread.h>
#define STATE(what, p) expect_##what(p, 1)
static char *made(size_t bytes) { return arena(0, bytes); }
#endif

enum { WRITTEN = 3, READ = 7, OF_THREAD = 11, OF_HEAP = 17, THROWN = 23, PAGES = 32 };

char *area;
int table[64] = {5, 4, 3};
static __thread int of_thread;

__attribute__((noinline)) int writes(int page) {
  area[page * PAGE + 1] = (char)(page + table[page % 3]);
  STATE(write, area + page * PAGE + 1);
  return page;
}

__attribute__((noinline)) int reads(int page) {
  int value = area[page * PAGE + 2];
  STATE(read, area + page * PAGE + 2);
  return value + page;
}

typedef int (*Step)(int);
volatile Step steps[2] = {writes, reads};

void *work(void *unused) {
  for (int i = 0; i < 3; ++i)
    of_thread += steps[0](OF_THREAD + i);
  table[10] = of_thread;
  return unused;
}

/* Its frame is large enough for stack probes. */
__attribute__((noinline)) int sum_of_frame(int seed) {
  volatile int frame[4096];
  for (int i = 0; i < 4096; ++i)
    frame[i] = seed + i;
  return frame[seed % 4096] + frame[4095];
}

int main(void) {
  pthread_t thread;
  int sum = 0;
  area = made(PAGES * PAGE);
  sum += steps[0](WRITTEN) + steps[1](READ);
  if (pthread_create(&thread, NULL, work, NULL))
    return 1;
  pthread_join(thread, NULL);
  int *heap = (int *)malloc(1000 * sizeof *heap);
  for (int i = 0; i < 1000; ++i)
    heap[i] = i * table[i % 16];
  sum += steps[0](OF_HEAP + heap[999] % 2);
  free(heap);
#ifdef __cplusplus
  try {
    if (sum)
      throw table[1];
  } catch (int thrown) {
    sum += steps[0](THROWN) + thrown;
  }
#endif
  printf("%d %d %d\n", sum, table[10], sum_of_frame(sum));
#ifndef PLAIN
  end_period();
#endif
  return 0;
}
