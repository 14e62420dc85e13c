/*===- says_hello.c - A small program, with or without options of its own --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <stdio.h>

#ifdef DEFAULTS
const char *__pagetide_default_options(void) { return DEFAULTS; }
#endif

int main(void) {
  puts("hello");
  return 0;
}
