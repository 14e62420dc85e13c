/*===- later_libc.c - Functions that came after glibc 2.36
 *------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A library has them here, as a later libc does. A program calls them.
// RUN: %clang -O1 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %build_c -O1 %s -o %t %t.so
// RUN: %t

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

long __isoc23_strtol(const char *s, char **end, int base);
long __isoc23_wcstol(const wchar_t *s, wchar_t **end, int base);
int __isoc23_sscanf(const char *s, const char *format, ...);

#ifdef LIBRARY
int __isoc23_vsscanf(const char *s, const char *format, va_list list) {
  return vsscanf(s, format, list);
}
int __isoc23_sscanf(const char *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vsscanf(s, format, list);
  va_end(list);
  return result;
}
long __isoc23_strtol(const char *s, char **end, int base) {
  return strtol(s, end, base);
}
long __isoc23_wcstol(const wchar_t *s, wchar_t **end, int base) {
  return wcstol(s, end, base);
}
#else
#include "recording.h"

int main(void) {
  char *const memory = arena(0, 8 * PAGE);
  start_driven();
  char **const end = (char **)(memory + PAGE);
  int *const number = (int *)(memory + 3 * PAGE);
  wchar_t **const wide_end = (wchar_t **)(memory + 5 * PAGE);
  require(__isoc23_strtol("12x", end, 10) == 12);
  require(__isoc23_wcstol(L"13x", wide_end, 10) == 13);
  require(__isoc23_sscanf("77", "%d", number) == 1);
  require(pagetide_query(end, 1) == PAGETIDE_WRITTEN);
  require(pagetide_query(wide_end, 1) == PAGETIDE_WRITTEN);
  require(pagetide_query(number, 1) == PAGETIDE_WRITTEN);
  require(pagetide_query(memory, 1) == 0);
  return 0;
}
#endif
