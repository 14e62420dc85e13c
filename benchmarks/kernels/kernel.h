//===- kernel.h - What the kernels share ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For C and C++. A kernel is called with two numbers, its size and how many
// rounds it works, and prints its name and a checksum of what it computed:
// runs with the same numbers print the same, however the kernel was built.

#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The kernel's work is done by functions that are called, as in a program of
/// several files: the optimiser must not fit them to their one caller.
#define KERNEL_FUNCTION __attribute__((noinline))

struct kernel_arguments {
  uint64_t size;
  uint64_t rounds;
};

static inline uint64_t kernel_number(const char *text) {
  char *end = NULL;
  const uint64_t number = strtoull(text, &end, 10);
  if (end == text || *end != '\0' || number == 0) {
    fprintf(stderr, "'%s' is no number above 0; give SIZE and ROUNDS\n", text);
    exit(2);
  }
  return number;
}

static inline struct kernel_arguments read_arguments(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s SIZE ROUNDS\n", argc > 0 ? argv[0] : "kernel");
    exit(2);
  }
  struct kernel_arguments arguments;
  arguments.size = kernel_number(argv[1]);
  arguments.rounds = kernel_number(argv[2]);
  return arguments;
}

/// Memory of zeros; ends the program if there is none.
static inline void *allocate(uint64_t count, uint64_t bytes) {
  void *memory = calloc(count, bytes);
  if (memory == NULL) {
    fprintf(stderr,
            "%" PRIu64 " times %" PRIu64 " bytes of memory cannot be "
            "had; give a smaller SIZE\n",
            count, bytes);
    exit(1);
  }
  return memory;
}

/// The next of a fixed sequence of numbers that look random.
static inline uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  // The low bits of such a sequence repeat early.
  return *state ^ (*state >> 33);
}

/// A number below the bound, which is at most 2^32.
static inline uint64_t random_below(uint64_t *state, uint64_t bound) {
  return ((next_random(state) >> 32) * bound) >> 32;
}

/// A checksum with one more value in it; the order matters.
static inline uint64_t mix(uint64_t sum, uint64_t value) {
  sum = (sum ^ value) * 0x9E3779B97F4A7C15u;
  return sum ^ (sum >> 32);
}

static inline uint64_t mix_double(uint64_t sum, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return mix(sum, bits);
}

static inline void print_checksum(const char *kernel, uint64_t sum) {
  printf("%s %016" PRIx64 "\n", kernel, sum);
}
