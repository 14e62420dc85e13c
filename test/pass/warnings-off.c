// The warning about inline assembly can be turned off for a build with -Werror,
// also for marks that are made when linking.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: not %clang_pagetide -Werror -O1 -c %s -o a.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: Pagetide: what the inline assembly in function 'clear' touches
// ERROR-SAME: -fpagetide-warn-inline-asm=0 (of the plugin alone: -mllvm -pagetide-warn-inline-asm=0) turns this warning off
// ERROR-SAME: [-Werror,-Wbackend-plugin]

// RUN: %clang_pagetide -Xclang -load -Xclang %pass -mllvm -pagetide-warn-inline-asm=0 -Werror -O1 -c %s -o a.o 2>&1 | count 0

// RUN: %clang_pagetide -O1 -flto=full -fPIC -c %S/Inputs/lto_other.c -o other.o
// RUN: %clang_pagetide -O1 -flto=full -fPIC -c %s -o loud.o
// RUN: %clang_pagetide -Xclang -load -Xclang %pass -mllvm -pagetide-warn-inline-asm=0 -O1 -flto=full -fPIC -c %s -o quiet.o
// RUN: %clang -fuse-ld=lld -O2 -flto=full -shared -Wl,--load-pass-plugin=%pass loud.o other.o -o loud.so 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: %clang -fuse-ld=lld -O2 -flto=full -shared -Wl,--load-pass-plugin=%pass quiet.o other.o -o quiet.so 2>&1 | count 0
// LINK: warning: {{.*}}Pagetide: what the inline assembly in function 'clear'

void clear(long *p) { __asm__ volatile("movq $0, (%0)" : : "r"(p) : "memory"); }
