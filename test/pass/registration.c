// Clang runs the pass at every level, and so does opt in the pipelines it builds
// for them. Each access is marked once.

// RUN: %clang_pagetide -O0 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -O1 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -O2 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -O3 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -Os -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -Oz -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -Og -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -Ofast -S -emit-llvm -o - %s | FileCheck %s

// RUN: %clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O0>' -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O1>' -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O2>' -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O3>' -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<Os>' -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<Oz>' -S %t.ll | FileCheck %s

// Without the plugin there is nothing to find.
// RUN: %clang -O2 -S -emit-llvm -o - %s | grep -v -e '^; ModuleID' -e '^source_filename' | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: addrspace(256)
// PLAIN-NOT: pagetide

extern int object;

// CHECK-LABEL: define {{.*}}void @store(
// CHECK:         [[INDEX:%.+]] = lshr i64 ptrtoint (ptr @object to i64), 9
// CHECK:         [[SHADOW:%.+]] = inttoptr i64 {{%.+}} to ptr addrspace(256)
// CHECK:         store volatile i8 1, ptr addrspace(256) [[SHADOW]]
// CHECK-NEXT:    store i32 1, ptr @object
// CHECK-NOT:     addrspace(256)
// CHECK:         ret void
void store(void) { object = 1; }

// Functions with optnone have marks too.
// CHECK-LABEL: define {{.*}}void @unoptimized(
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    store i32 2, ptr @object
// CHECK-NOT:     addrspace(256)
// CHECK:         ret void
__attribute__((optnone, noinline)) void unoptimized(void) { object = 2; }

// CHECK-LABEL: define internal void @pagetide.module_ctor(
// CHECK-NEXT:    call void @__pagetide_module_init_v6(
// CHECK-NEXT:    ret void
