; Accesses that code generation leaves out or moves away are not marked where they
; stand: a mark of an access that is never made would be an invention.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Clang writes (void)**p so at -O0.
define void @unused(ptr %p) noinline optnone {
; CHECK-LABEL: define void @unused(
; CHECK-NEXT:    ret void
  %q = load ptr, ptr %p, align 8
  %r = getelementptr i8, ptr %q, i64 8
  %v = load i32, ptr %r, align 4
  ret void
}

define void @unused_volatile(ptr %p) {
; CHECK-LABEL: define void @unused_volatile(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load volatile i32, ptr %p
  %v = load volatile i32, ptr %p, align 4
  ret void
}

; Used on one way only, the load goes there, and its mark with it.
define i32 @used_on_one_way(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @used_on_one_way(
; CHECK-NEXT:    br i1 %c
; CHECK:       then:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
  %v = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  ret i32 %v
else:
  ret i32 0
}

define i32 @not_moved_without_optimisation(ptr %p, i1 %c) noinline optnone {
; CHECK-LABEL: define i32 @not_moved_without_optimisation(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; CHECK-NEXT:    br i1 %c
  %v = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  ret i32 %v
else:
  ret i32 0
}

declare void @llvm.lifetime.end.p0(i64, ptr)

; Nobody sees what is stored to a local that ends right after.
define void @stored_at_the_end(ptr %p) {
; CHECK-LABEL: define void @stored_at_the_end(
; CHECK:         store i32 2, ptr %p
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
  %a = alloca [4 x i32], align 4
  %b = alloca i64, align 8
  store i32 2, ptr %p, align 4
  %a3 = getelementptr i8, ptr %a, i64 12
  store i32 1, ptr %a3, align 4
  store i64 1, ptr %b, align 8
  store i32 1, ptr %a, align 4
  call void @llvm.lifetime.end.p0(i64 16, ptr %a)
  call void @llvm.lifetime.end.p0(i64 8, ptr %b)
  ret void
}

define i32 @read_before_the_end() {
; CHECK-LABEL: define i32 @read_before_the_end(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 1, ptr %a
  %a = alloca i32, align 4
  store i32 1, ptr %a, align 4
  %v = load i32, ptr %a, align 4
  call void @llvm.lifetime.end.p0(i64 4, ptr %a)
  ret i32 %v
}
