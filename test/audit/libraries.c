/*===- libraries.c - Data of libraries, linked and loaded later ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -g -fPIC -shared %inputs/plain.c -o libplain.so
// RUN: %plain_c -O1 -g -fPIC -shared -Wl,-Bsymbolic %inputs/plain.c -o libloaded.so
// RUN: %build_c -O1 -g -I %inputs %s libplain.so -Wl,-rpath,%t -o program
// RUN: (%pagetide audit -p 0 -o kept --json -r report -- ./program; test $? = 1)
// What malloc keeps for libc in the heap is another matter.
// RUN: %check_audit --without heap report known
// In one line: the report breaks its lines by their length, and so by the paths'.
// RUN: (%pagetide audit --from kept >text; test $? = 1)
// RUN: tr -s '\n ' ' ' <text >line && FileCheck %s <line
// CHECK: libloaded.so: data of
// CHECK: CC=pagetide-clang
// CHECK: plain_data
// CHECK: Loaded files that are not instrumented, besides the C
// CHECK-DAG: libloaded.so
// CHECK-DAG: libplain.so

#include "audited.h"

#include <dlfcn.h>

int main(void) {
  plain_write(plain_page(1));
  end_period();
  void *library = dlopen("./libloaded.so", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  end_period(); // what the loader and malloc write for it is over
  char *(*page)(int) = (char *(*)(int))dlsym(library, "plain_page");
  void (*write_page)(char *) = (void (*)(char *))dlsym(library, "plain_write");
  REQUIRE(page && write_page);
  end_period();
  write_page(page(2));
  end_period();
  write_page(page(2));
  end_period();
  known("plain", plain_page(1), 1);
  known("plain", page(2), 2);
  return 0;
}
