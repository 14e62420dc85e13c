//===- pause.c - How long a thread that writes is held up -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: pause MIB STRIDE WINDOW_MS WINDOWS
//
// Writes every STRIDEth page of so much memory. Then it writes these pages at
// random, and times each write. Prints the longest of each stretch of
// WINDOW_MS, in nanoseconds.

#include "../programs.h"

enum { PAGE = 4096 };

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: pause MIB STRIDE WINDOW_MS WINDOWS\n");
    return 2;
  }
  const size_t bytes = (size_t)atol(argv[1]) << 20;
  const size_t step = (size_t)atol(argv[2]) * PAGE;
  const uint64_t window = strtoul(argv[3], NULL, 10) * 1000000;
  const size_t windows = strtoul(argv[4], NULL, 10);
  char *const memory = mapped(bytes);
  uint64_t *const longest = calloc(windows, sizeof *longest);
  if (!longest)
    fail("pause: calloc");
  for (size_t at = 0; at < bytes; at += step)
    memory[at] = 1;
  const uint64_t pages = (bytes + step - 1) / step;
  uint64_t state = 1;
  const uint64_t begin = now_ns();
  for (uint64_t before = begin;;) {
    memory[next_random(&state) % pages * step] += 1;
    const uint64_t after = now_ns();
    const uint64_t at = (after - begin) / window;
    if (at >= windows)
      break;
    if (after - before > longest[at])
      longest[at] = after - before;
    before = after;
  }
  for (size_t i = 0; i < windows; ++i)
    printf("%s%llu", i ? ", " : "[", (unsigned long long)longest[i]);
  puts("]");
  return 0;
}
