// Thin link-time optimisation: as with full LTO, but each module is finished on
// its own, and so has its own note.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t

// RUN: %clang_pagetide -O2 -flto=thin -c %s -o a.o
// RUN: %clang_pagetide -O2 -flto=thin -c %S/Inputs/lto_other.c -o b.o
// RUN: llvm-dis -o - a.o | FileCheck %s --check-prefix=DEFERRED
// DEFERRED-NOT: addrspace(256)
// DEFERRED:     @pagetide.deferred = internal constant ptr @__pagetide_marks_deferred_to_link_time__
// DEFERRED-NOT: addrspace(256)
// DEFERRED-NOT: @pagetide.module_ctor
// DEFERRED:     !pagetide.deferred = !{

// RUN: %clang -c %S/Inputs/runtime_stub.c -o stub.o
// RUN: %clang -O2 -flto=thin -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps -Wl,--no-undefined a.o b.o stub.o -o linked.so
// RUN: llvm-dis -o - a.o.5.precodegen.bc | FileCheck %s --implicit-check-not=.note.pagetide --implicit-check-not=pagetide.deferred
// CHECK-DAG:   @pagetide.note{{.*}} section ".note.pagetide"
// CHECK-DAG:   @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @pagetide.module_ctor, ptr null }]

// The other file's function was imported and inlined, and marked here once.
// CHECK-LABEL: define {{.*}}i32 @work(
// CHECK:         store volatile i16 {{257|1028}}, ptr addrspace(256)
// CHECK-NEXT:    store i32 6,
// CHECK-NOT:     addrspace(256)
// CHECK:         load i32,
// CHECK-NOT:     addrspace(256)
// CHECK:         ret i32

// RUN: llvm-readelf -n linked.so | FileCheck %s --check-prefix=NOTES
// NOTES-COUNT-2: Pagetide
// NOTES-NOT:     Pagetide
// RUN: llvm-nm linked.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=deferred
// SYMBOLS-COUNT-2: t pagetide.module_ctor

int other(int *p);

int work(int *p) { return other(p); }
