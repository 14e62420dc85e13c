//===- programs.h - What the benchmarks' programs in C share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/// Ends the program: a call of that name has failed, as errno says.
static inline void fail(const char *what) {
  perror(what);
  exit(1);
}

static inline uint64_t clock_ns(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0)
    fail("clock_gettime");
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static inline uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/// Memory that takes nothing until it is touched.
static inline void *mapped(uint64_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fail("mmap");
  return memory;
}

static inline uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}
