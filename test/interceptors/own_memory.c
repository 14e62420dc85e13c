/*===- own_memory.c - A program's own memcpy, memmove and memset -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * In another file of the program, in a library of it, or in a library that is
 * preloaded: they are called as they are natively, whether they are marked
 * themselves or not.
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 -fno-builtin -DDEFINES -c %s -o %t.own.o
// RUN: %plain_c -O1 -fno-builtin -DDEFINES -c %s -o %t.plain.o
// RUN: %plain_c -O1 -fno-builtin -DDEFINES -fPIC -shared %s -o %t.so
// RUN: %pagetide_clang -O1 -c %s -o %t.o
// RUN: %pagetide_clang %t.o %t.own.o -o %t.marked
// RUN: %pagetide_clang %t.o %t.plain.o -o %t.unmarked
// RUN: %pagetide_clang %t.o %t.so -o %t.with_library
// RUN: %pagetide_clang %t.o -o %t.alone

// RUN: for p in marked unmarked with_library; do %t.$p || exit 1; \
// RUN:   %pagetide record -p 0 -o %t.run -- %t.$p || exit 1; \
// RUN: done > %t.said
// RUN: env LD_PRELOAD=%t.so %t.alone >> %t.said
// RUN: %pagetide record -p 0 -o %t.run -- env LD_PRELOAD=%t.so %t.alone >> %t.said
// RUN: FileCheck %s --input-file=%t.said
// CHECK-COUNT-8: own: memcpy 1, memmove 1, memset 1
// RUN: %pagetide record -p 0 -o %t.run -- %t.alone | FileCheck %s --check-prefix=LIBC
// LIBC: own: memcpy 0, memmove 0, memset 0

#include <stddef.h>

#ifdef DEFINES
int own_copies, own_moves, own_fills;
void *memcpy(void *to, const void *from, size_t n) {
  ++own_copies;
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memmove(void *to, const void *from, size_t n) {
  ++own_moves;
  volatile char *d = to;
  const char *s = from;
  if (d <= s)
    for (size_t i = 0; i < n; ++i)
      d[i] = s[i];
  else
    while (n--)
      d[n] = s[n];
  return to;
}
void *memset(void *to, int c, size_t n) {
  ++own_fills;
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = (char)c;
  return to;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern int own_copies __attribute__((weak)), own_moves __attribute__((weak)),
    own_fills __attribute__((weak));
static char a[40000], b[40000];
volatile int sink;
volatile size_t length = 20000;

int main(void) {
  int before[3] = {0, 0, 0};
  int *counts[3] = {&own_copies, &own_moves, &own_fills};
  if (!counts[0]) { /* preloaded, or there are none */
    counts[0] = dlsym(RTLD_DEFAULT, "own_copies");
    counts[1] = dlsym(RTLD_DEFAULT, "own_moves");
    counts[2] = dlsym(RTLD_DEFAULT, "own_fills");
  }
  for (int i = 0; i < 3; ++i)
    before[i] = counts[i] ? *counts[i] : 0;
  memset(a, 'x', length);
  sink = a[3];
  memcpy(b, a, length);
  sink = b[4];
  memmove(b + 1, b, length);
  sink = b[5];
  for (int i = 0; i < 3; ++i)
    before[i] = counts[i] ? *counts[i] - before[i] : 0;
  printf("own: memcpy %d, memmove %d, memset %d\n", before[0], before[1],
         before[2]);
  return b[20000] != 'x';
}
#endif
