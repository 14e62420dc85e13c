/*===- later_libc.c - Functions that came after glibc 2.36 -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A library with them, as a later libc is one. They call this libc's own
// functions, and not those that the runtime exports.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

/* Jumps to libc's function with the arguments of the call. */
#define LATER(name)                                                            \
  void *pagetide_later_##name;                                                 \
  __attribute__((naked)) void __isoc23_##name(void) {                          \
    __asm__("movq pagetide_later_" #name "@GOTPCREL(%rip), %r11\n"             \
            "jmpq *(%r11)\n");                                                 \
  }
#define LATER_NAMES(X)                                                         \
  X(strtol)                                                                    \
  X(strtoul) X(strtoll) X(strtoull) X(strtoimax) X(strtoumax) X(strtol_l)      \
      X(strtoul_l) X(strtoll_l) X(strtoull_l) X(wcstol) X(wcstoul) X(wcstoll)  \
          X(wcstoull) X(wcstoimax) X(wcstoumax) X(wcstol_l) X(wcstoul_l)       \
              X(wcstoll_l) X(wcstoull_l) X(scanf) X(vscanf) X(fscanf)          \
                  X(vfscanf) X(sscanf) X(vsscanf) X(wscanf) X(vwscanf)         \
                      X(fwscanf) X(vfwscanf) X(swscanf) X(vswscanf)
LATER_NAMES(LATER)

__attribute__((constructor)) static void find(void) {
  void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
#define FIND(name)                                                             \
  pagetide_later_##name = dlsym(libc, #name);                                  \
  if (!pagetide_later_##name)                                                  \
    __builtin_trap();
  LATER_NAMES(FIND)
}
