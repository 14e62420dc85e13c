/*===- unmarked.c - Accesses that the pass was told to leave alone ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The oracle takes all code of the program for instrumented, so it must find
 * these: a load and a store.
 *
 *===----------------------------------------------------------------------===*/

#include <stdlib.h>
#include <string.h>

__attribute__((noinline, disable_sanitizer_instrumentation)) static int
load_unmarked(const volatile int *p) {
  return *p;
}

__attribute__((noinline, disable_sanitizer_instrumentation)) static void
store_unmarked(volatile int *p) {
  *p = 1;
}

int main(int argc, char **argv) {
  char *pages = aligned_alloc(4096, 8 * 4096);
  volatile char *touched = pages;
  *touched = 1;
  int sum = load_unmarked((const volatile int *)(pages + 2 * 4096));
  store_unmarked((volatile int *)(pages + 5 * 4096));
  /* A call that ends the period. */
  sum += (int)strlen(argv[argc - 1]);
  return sum == 0;
}
