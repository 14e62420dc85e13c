// Options are given when compiling; the link takes them from there, and refuses
// files that disagree.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -c %S/Inputs/runtime_stub.c -o stub.o

// RUN: %clang_pagetide_exact -Xclang -load -Xclang %pass -mllvm -pagetide-layout=write -mllvm -pagetide-granule=14 -mllvm -pagetide-skip-constants -O2 -flto=full -c %s -o full.o
// RUN: %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps full.o stub.o -o full.so
// RUN: llvm-dis -o - full.so.0.5.precodegen.bc | FileCheck %s
// RUN: %clang_pagetide_exact -Xclang -load -Xclang %pass -mllvm -pagetide-layout=write -mllvm -pagetide-granule=14 -mllvm -pagetide-skip-constants -O2 -flto=thin -c %s -o thin.o
// RUN: %clang -O2 -flto=thin -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps thin.o stub.o -o thin.so
// RUN: llvm-dis -o - thin.o.5.precodegen.bc | FileCheck %s
// CHECK: @pagetide.record = {{.*}} { i32 6, i32 2, i32 14, i32 14, i32 1 }, i32 0 }
// CHECK: lshr i64 {{.*}}, 14

// RUN: %clang_pagetide_exact -O2 -flto=full -c %S/Inputs/lto_other.c -o other.o
// RUN: not %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass full.o other.o stub.o -o full.so 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: error: Pagetide: '{{.*}}lto-options.c' was compiled with layout=write;granule=14;precision=exact;skip-constants=1;{{.*}} and '{{.*}}lto_other.c' with layout=rw;granule=12;precision=exact;skip-constants=0;{{.*}}; compile every file of a program with the same options of the pass

// RUN: not %opt_exact -load-pass-plugin=%pass -passes='pagetide<granule=13>' -disable-output full.o 2>&1 | FileCheck %s --check-prefix=ANEW
// ANEW: error: Pagetide: '{{.*}}lto-options.c' was compiled with layout=write;granule=14;{{.*}}, but linked with {{.*}}granule=13;{{.*}}; give options of the pass only when compiling

void store(int *p) { *p = 1; }
