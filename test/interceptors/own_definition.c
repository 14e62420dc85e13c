/*===- own_definition.c - A program's own function of a name in libc -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Marked code calls the runtime in place of libc's strcasecmp. If another file of
 * the program, or a library of it, defines that function, its definition is
 * called, whether marks are on or not.
 *
 *===----------------------------------------------------------------------===*/

// RUN: %pagetide_clang -O1 -DDEFINES -c %s -o %t.own.o
// RUN: %pagetide_clang -O1 -c %s -o %t.o
// RUN: %pagetide_clang %t.o %t.own.o -o %t.program
// RUN: %t.program | FileCheck %s --check-prefix=OWN
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.ptrace':period=0" %t.program | FileCheck %s --check-prefix=OWN
// OWN: direct 1042, through a pointer 1042

// RUN: %pagetide_clang -O1 -DDEFINES -fPIC -shared %s -o %t.so
// RUN: %pagetide_clang %t.o %t.so -o %t.with_library
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.ptrace':period=0" %t.with_library | FileCheck %s --check-prefix=OWN

// RUN: %pagetide_clang %t.o -o %t.libc
// RUN: env PAGETIDE_OPTIONS="trace_path='%t.ptrace':period=0" %t.libc | FileCheck %s --check-prefix=LIBC
// LIBC: direct 0, through a pointer 0

#include <stdio.h>
#include <strings.h>

#ifdef DEFINES
int strcasecmp(const char *a, const char *b) { return 1000 + *a - *b + 10; }
#else
int (*volatile pointer)(const char *, const char *) = strcasecmp;

int main(int argc, char **argv) {
  (void)argv;
  const char *a = argc == 1 ? "a" : "b";
  printf("direct %d, through a pointer %d\n", strcasecmp(a, "A"),
         pointer(a, "A"));
  return 0;
}
#endif
