; Accesses at constant offsets from one base share marks as long as nothing
; between them can end the straight line: the first and the last byte are marked
; before the first access, or one byte where alignment says it is enough.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefix=RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;groups=0>,verify' -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque()
declare void @harmless() memory(none) nounwind willreturn
declare double @llvm.sin.f64(double)
declare double @llvm.fabs.f64(double)
declare void @llvm.assume(i1)

define i64 @two_ends(ptr %p) {
; CHECK-LABEL: define i64 @two_ends(
; CHECK-NEXT:    %p1 = getelementptr
; CHECK-NEXT:    %p2 = getelementptr
; CHECK-NEXT:    %p3 = getelementptr
; CHECK-NEXT:    [[LOW:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[LOW_INDEX:%.+]] = lshr i64 [[LOW]], 12
; CHECK-NEXT:    [[LOW_SHADOW_PLACE:%.+]] = add i64 [[LOW_INDEX]], 2147418112
; CHECK-NEXT:    [[LOW_SHADOW:%.+]] = inttoptr i64 [[LOW_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[LOW_SHADOW]]
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[HIGH:%.+]] = add i64 [[BASE]], 807
; CHECK-NEXT:    [[HIGH_INDEX:%.+]] = lshr i64 [[HIGH]], 12
; CHECK-NEXT:    [[HIGH_SHADOW_PLACE:%.+]] = add i64 [[HIGH_INDEX]], 2147418112
; CHECK-NEXT:    [[HIGH_SHADOW:%.+]] = inttoptr i64 [[HIGH_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[HIGH_SHADOW]]
; CHECK-NEXT:    load i64, ptr %p2
; CHECK-NEXT:    load i64, ptr %p
; CHECK-NEXT:    load i64, ptr %p3
; CHECK-NEXT:    load i64, ptr %p1
; CHECK-NOT:     addrspace(256)
; CHECK:         ret

; What has been marked is still known: the last of the four lies between.
; OFF-LABEL:     define i64 @two_ends(
; OFF:           store volatile i8 1, ptr addrspace(256)
; OFF-NEXT:      load i64, ptr %p2
; OFF:           store volatile i8 1, ptr addrspace(256)
; OFF-NEXT:      load i64, ptr %p,
; OFF:           store volatile i8 1, ptr addrspace(256)
; OFF-NEXT:      load i64, ptr %p3
; OFF-NEXT:      load i64, ptr %p1
; OFF-NOT:       addrspace(256)
; OFF:           ret
  %p1 = getelementptr i8, ptr %p, i64 8
  %p2 = getelementptr i8, ptr %p, i64 16
  %p3 = getelementptr i8, ptr %p, i64 800
  %a = load i64, ptr %p2, align 8
  %b = load i64, ptr %p, align 8
  %c = load i64, ptr %p3, align 8
  %d = load i64, ptr %p1, align 8
  %e = add i64 %a, %b
  %f = add i64 %c, %d
  %g = add i64 %e, %f
  ret i64 %g
}

; The vector says that the base is a multiple of 64: all of it is in one granule.
define i32 @aligned_by_another_access(ptr %p) {
; CHECK-LABEL: define i32 @aligned_by_another_access(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %field
; CHECK-NEXT:    load <16 x i32>, ptr %p
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
  %field = getelementptr i8, ptr %p, i64 40
  %a = load i32, ptr %field, align 4
  %v = load <16 x i32>, ptr %p, align 64
  %b = extractelement <16 x i32> %v, i32 0
  %r = add i32 %a, %b
  ret i32 %r
}

; The base may be the result of a variable index.
define i32 @variable_base(ptr %p, i64 %i) {
; CHECK-LABEL: define i32 @variable_base(
; CHECK:         [[BASE:%.+]] = ptrtoint ptr %element to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 11
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %element
; CHECK-NEXT:    load i32, ptr %field
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
  %element = getelementptr [3 x i32], ptr %p, i64 %i
  %field = getelementptr i8, ptr %element, i64 8
  %a = load i32, ptr %element, align 4
  %b = load i32, ptr %field, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

; More than a granule apart: two groups.
define i8 @far_apart(ptr %p) {
; CHECK-LABEL: define i8 @far_apart(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i8, ptr %p
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i8, ptr %far
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
  %far = getelementptr i8, ptr %p, i64 4096
  %a = load i8, ptr %p
  %b = load i8, ptr %far
  %r = add i8 %a, %b
  ret i8 %r
}

; Code generation would make one load of the two, from the address that is
; chosen, if no mark stood between them.
define i32 @alternatives(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @alternatives(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %other
; CHECK-NEXT:    call i32 asm "", "=r,0"
; CHECK-NEXT:    select
  %other = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr %other, align 4
  %r = select i1 %c, i32 %a, i32 %b
  ret i32 %r
}

; Exactly a granule's bytes: one group.
define i8 @just_near_enough(ptr %p) {
; CHECK-LABEL: define i8 @just_near_enough(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i8, ptr %p
; CHECK-NEXT:    load i8, ptr %near
; CHECK:         ret
  %near = getelementptr i8, ptr %p, i64 4095
  %a = load i8, ptr %p
  %b = load i8, ptr %near
  %r = add i8 %a, %b
  ret i8 %r
}

; Same address, same kind: one mark.
define i32 @twice(ptr %p, ptr %q) {
; CHECK-LABEL: define i32 @twice(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 0, ptr %q
; CHECK-NEXT:    load i32, ptr %p
; CHECK-NEXT:    add
; CHECK-NEXT:    ret
  %a = load i32, ptr %p, align 4
  store i32 0, ptr %q, align 4
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

; Reading and writing are told apart where the layout does, by one mark.
define i32 @read_then_written(ptr %p) {
; CHECK-LABEL: define i32 @read_then_written(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    store i32
; RW-LABEL: define i32 @read_then_written(
; RW-COUNT-1:    store volatile i16 257, ptr addrspace(256)
; RW-NEXT:       load i32
; RW-NEXT:       store i32
  %a = load i32, ptr %p, align 4
  store i32 7, ptr %p, align 4
  ret i32 %a
}

; After an instruction that may not return, may take long, or orders memory,
; marks begin again.
define i32 @across_call(ptr %p) {
; CHECK-LABEL: define i32 @across_call(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    call void @opaque()
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
  %a = load i32, ptr %p, align 4
  call void @opaque()
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

define i32 @across_pure_call(ptr %p) {
; CHECK-LABEL: define i32 @across_pure_call(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    call void @harmless()
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
  %a = load i32, ptr %p, align 4
  call void @harmless()
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

define double @across_math(ptr %p) {
; CHECK-LABEL: define double @across_math(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load double
; CHECK-NEXT:    call double @llvm.sin
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load double
; CHECK-NEXT:    call double @llvm.fabs
; CHECK-NEXT:    load double
  %a = load double, ptr %p, align 8
  %b = call double @llvm.sin.f64(double %a)
  %c = load double, ptr %p, align 8
  %d = call double @llvm.fabs.f64(double %c)
  %e = load double, ptr %p, align 8
  %f = fadd double %b, %d
  %g = fadd double %e, %f
  ret double %g
}

define float @across_remainder(ptr %p, float %x) {
; CHECK-LABEL: define float @across_remainder(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load float
; CHECK-NEXT:    frem
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load float
  %a = load float, ptr %p, align 4
  %b = frem float %a, %x
  %c = load float, ptr %p, align 4
  %d = fadd float %b, %c
  ret float %d
}

define i32 @across_fence(ptr %p) {
; CHECK-LABEL: define i32 @across_fence(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    fence acquire
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
  %a = load i32, ptr %p, align 4
  fence acquire
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

define i32 @across_atomic(ptr %p, ptr %flag) {
; CHECK-LABEL: define i32 @across_atomic(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load atomic i32, ptr %flag
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
  %a = load i32, ptr %p, align 4
  %f = load atomic i32, ptr %flag acquire, align 4
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

define i32 @across_volatile(ptr %p, ptr %flag) {
; CHECK-LABEL: define i32 @across_volatile(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load volatile i32, ptr %flag
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
  %a = load i32, ptr %p, align 4
  %f = load volatile i32, ptr %flag, align 4
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

define i32 @across_asm(ptr %p) {
; CHECK-LABEL: define i32 @across_asm(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    call void asm
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
  %a = load i32, ptr %p, align 4
  call void asm sideeffect "nop", ""()
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

; Notes to the compiler change nothing.
define i32 @across_assumption(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @across_assumption(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    call void @llvm.assume
; CHECK-NEXT:    load i32
  %a = load i32, ptr %p, align 4
  call void @llvm.assume(i1 %c)
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
}
