// Beside sanitizers: they do not check our marks, and we do not mark their
// shadow.

// RUN: %clang_pagetide -fsanitize=address -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s --check-prefixes=CHECK,ASAN
// RUN: %clang_pagetide -fsanitize=thread -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s --check-prefixes=CHECK,TSAN
// RUN: %clang_pagetide -fsanitize=memory -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s --check-prefixes=CHECK,MSAN
// RUN: %clang_pagetide -fsanitize=undefined -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clang_pagetide -fsanitize-coverage=trace-pc-guard -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s --check-prefixes=CHECK,COVERAGE

// The note has the size it must have.
// CHECK: @pagetide.note = private constant { i32, i32, i32, [12 x i8], { i32, i32, i32, i32, i32 }, i32 } { {{.*}} section ".note.pagetide"

// CHECK-LABEL: define {{.*}} @store(
// COVERAGE:      call void @__sanitizer_cov_trace_pc_guard(
// CHECK:         ptrtoint ptr %p to i64
// CHECK:         lshr i64 {{%.+}}, {{[79]}}
// CHECK:         store volatile i8 {{[14]}}, ptr addrspace(256)
// ASAN:          call void @__asan_report_store4(i64
// ASAN-NOT:      __asan_report
// TSAN:          call void @__tsan_write4(ptr %p)
// TSAN-NOT:      __tsan_write
// MSAN-NOT:      __msan_
// CHECK:         store i32 1, ptr %p
// CHECK-NOT:     addrspace(256)
// CHECK:         ret void
void store(int *p) { *p = 1; }
