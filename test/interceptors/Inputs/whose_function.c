/*===- whose_function.c - Calls that the linker gives to another function --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The program, which calls each function once and prints how often the other
 * function was called; with WRAPS the wrappers, with OWN_COPY other functions.
 *
 *===----------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdio.h>

#define ROW(name, result, parameters, arguments, call)                         \
  extern int calls_of_##name __attribute__((weak));                            \
  result name parameters;
#include "stood_for.inc"
#undef ROW

#ifdef WRAPS
#ifdef UNWRAPPED
#define REAL_NAME(name) asm(#name)
#else
#define REAL_NAME(name)
#endif
#define ROW(name, result, parameters, arguments, call)                         \
  int calls_of_##name;                                                         \
  extern result __real_##name parameters REAL_NAME(name);                      \
  result __wrap_##name parameters {                                            \
    ++calls_of_##name;                                                         \
    return __real_##name arguments;                                            \
  }
#include "stood_for.inc"

#elif defined(OWN_COPY)
int calls_of_memcpy, calls_of_strlen;
void *own_copy(void *to, const void *from, size_t n) {
  ++calls_of_memcpy;
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = ((const volatile char *)from)[i];
  return to;
}
size_t own_length(const volatile char *s) {
  size_t n = 0;
  ++calls_of_strlen;
  while (s[n])
    ++n;
  return n;
}

#else
void *newlocale(int, const char *, void *);

char buffers[3][100] = {"abc", "ab", "12"};
int wide_buffers[2][100] = {{'a', 'b', 'c'}, {'a', 'b'}};
/* Unknown to the optimiser. */
char *volatile text = buffers[0], *volatile other = buffers[1],
               *volatile digits = buffers[2];
int *volatile wide = wide_buffers[0], *volatile other_wide = wide_buffers[1];
volatile size_t length = 2;
char room[100];

/* The C library's own calls, of startup and printf, do not count. */
int main(void) {
  void *locale = newlocale(0x1fbf, "C", NULL);
  int before, count;
#define ROW(name, result, parameters, arguments, call)                         \
  before = &calls_of_##name ? calls_of_##name : 0;                             \
  call;                                                                        \
  count = &calls_of_##name ? calls_of_##name - before : 0;                     \
  printf("%s %d\n", #name, count);
#include "stood_for.inc"
  return 0;
}
#endif
