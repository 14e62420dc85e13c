// A link that does not make the marks that were left to it fails, and the
// missing symbol's name says why. A shared library, which may have undefined
// symbols, fails when it is loaded.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t

// RUN: %clang_pagetide -O2 -flto=full -c %s -o full.o
// RUN: not %clang -O2 -flto=full -fuse-ld=lld full.o %S/Inputs/runtime_stub.c -o program 2>&1 | FileCheck %s
// RUN: %clang_pagetide -O2 -fPIC -flto=thin -c %s -o thin.o
// RUN: %clang -c %S/Inputs/runtime_stub.c -o stub.o
// RUN: not %clang -O2 -flto=thin -fuse-ld=lld thin.o stub.o -o program 2>&1 | FileCheck %s
// CHECK: error: undefined symbol: __pagetide_marks_deferred_to_link_time__link_with_lld_and_load_pass_plugin_and_lto_O1_or_above

// RUN: %clang -O2 -flto=thin -fPIC -fuse-ld=lld -shared thin.o stub.o -o library.so
// RUN: %clang -O0 -DLOADER %s -o loader
// RUN: ./loader ./library.so 2>&1 | FileCheck %s --check-prefix=LOADER
// LOADER: undefined symbol: __pagetide_marks_deferred_to_link_time__

// The thin link at -O0 runs no passes that a plugin could join.
// RUN: not %clang -O0 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%pass thin.o stub.o -o program 2>&1 | FileCheck %s

#ifdef LOADER
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc == 2 && !dlopen(argv[1], RTLD_NOW))
    puts(dlerror());
  return 0;
}
#else
int object;
int main(void) {
  object = 1;
  return 0;
}
#endif
