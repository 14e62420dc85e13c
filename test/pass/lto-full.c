// Full link-time optimisation: compiling leaves the marks to the link, which
// makes them after everything was optimised together. Each access has one.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t

// RUN: %clang_pagetide -O2 -flto=full -c %s -o a.o
// RUN: %clang_pagetide -O2 -flto=full -c %S/Inputs/lto_other.c -o b.o
// RUN: llvm-dis -o - a.o | FileCheck %s --check-prefix=DEFERRED
// DEFERRED-NOT: addrspace(256)
// DEFERRED:     @[[MISSING:__pagetide_marks_deferred_to_link_time__link_with_lld_and_load_pass_plugin_and_lto_O1_or_above]] = external constant i8
// DEFERRED:     @pagetide.deferred = internal constant ptr @[[MISSING]]
// DEFERRED:     @llvm.used = {{.*}} @pagetide.deferred
// DEFERRED-NOT: addrspace(256)
// DEFERRED-NOT: @pagetide.module_ctor
// DEFERRED:     !pagetide.deferred = !{[[ENTRY:![0-9]+]]}
// DEFERRED:     [[ENTRY]] = !{i32 6, !"{{.*}}lto-full.c", !"layout=rw;granule=12;precision=near;skip-constants=0;frames=0;distrust-alignment=0;mode=always;marks=inline"}

// RUN: %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps -Wl,--no-undefined a.o b.o %S/Inputs/runtime_stub.c -o linked.so
// RUN: llvm-dis -o - linked.so.0.5.precodegen.bc | FileCheck %s --implicit-check-not=.note.pagetide --implicit-check-not=pagetide.deferred
// CHECK-DAG:   @pagetide.note{{.*}} section ".note.pagetide"
// CHECK-DAG:   @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @pagetide.module_ctor, ptr null }]
// CHECK-NOT:   marks_deferred

// The other file's function was inlined, and marked here once.
// CHECK-LABEL: define {{.*}}i32 @work(
// CHECK:         store volatile i16 {{257|1028}}, ptr addrspace(256)
// CHECK-NEXT:    store i32 6,
// CHECK-NOT:     addrspace(256)
// CHECK:         load i32,
// CHECK-NOT:     addrspace(256)
// CHECK:         ret i32

// Nothing of the promise is left in the result.
// RUN: llvm-nm linked.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=deferred
// SYMBOLS: t pagetide.module_ctor

int other(int *p);

int work(int *p) { return other(p); }
