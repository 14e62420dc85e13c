//===- pause.c - How long a thread that writes is held up -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: pause MIB STRIDE WINDOW_MS WINDOWS
//
// Writes every STRIDEth page of so much memory. Then it writes these pages at
// random, and times each write. Prints the longest of each stretch of
// WINDOW_MS, in nanoseconds.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096 };

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: pause MIB STRIDE WINDOW_MS WINDOWS\n");
    return 2;
  }
  const size_t bytes = (size_t)atol(argv[1]) << 20;
  const size_t step = (size_t)atol(argv[2]) * PAGE;
  const int64_t window = atol(argv[3]) * INT64_C(1000000);
  const long windows = atol(argv[4]);
  char *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int64_t *const longest = calloc((size_t)windows, sizeof *longest);
  if (memory == MAP_FAILED || !longest) {
    fprintf(stderr, "pause: no memory\n");
    return 2;
  }
  for (size_t at = 0; at < bytes; at += step)
    memory[at] = 1;
  const uint64_t pages = (bytes + step - 1) / step;
  uint64_t state = 1;
  const int64_t begin = now();
  for (int64_t before = begin;;) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    memory[(state >> 33) % pages * step] += 1;
    const int64_t after = now();
    const int64_t at = (after - begin) / window;
    if (at >= windows)
      break;
    if (after - before > longest[at])
      longest[at] = after - before;
    before = after;
  }
  for (long i = 0; i < windows; ++i)
    printf("%s%lld", i ? ", " : "[", (long long)longest[i]);
  puts("]");
  return 0;
}
