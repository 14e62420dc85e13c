; An access that may lie in two granules marks its first and its last byte. One
; that cannot marks once. What is known of an address is the alignment of the
; access and that of the object it is an offset from.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;distrust-alignment>,verify' -S %s | FileCheck %s --check-prefix=DISTRUST
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@aligned = global [64 x i8] zeroinitializer, align 64

define i32 @packed(ptr %p) {
; CHECK-LABEL: define i32 @packed(
; NEAR-LABEL: define i32 @packed(
; NEAR-NEXT:     [[FIRST:%.+]] = ptrtoint ptr %p to i64
; NEAR-NEXT:     lshr i64 [[FIRST]], 8
; NEAR-COUNT-1:  store volatile i8 4, ptr addrspace(256)
; NEAR-NEXT:     load i32, ptr %p, align 2
; CHECK-NEXT:    [[FIRST:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[FIRST_INDEX:%.+]] = lshr i64 [[FIRST]], 12
; CHECK-NEXT:    [[FIRST_SHADOW_PLACE:%.+]] = add i64 [[FIRST_INDEX]], 2147418112
; CHECK-NEXT:    [[FIRST_SHADOW:%.+]] = inttoptr i64 [[FIRST_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[FIRST_SHADOW]]
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[LAST:%.+]] = add i64 [[BASE]], 3
; CHECK-NEXT:    [[LAST_INDEX:%.+]] = lshr i64 [[LAST]], 12
; CHECK-NEXT:    [[LAST_SHADOW_PLACE:%.+]] = add i64 [[LAST_INDEX]], 2147418112
; CHECK-NEXT:    [[LAST_SHADOW:%.+]] = inttoptr i64 [[LAST_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[LAST_SHADOW]]
; CHECK-NEXT:    load i32, ptr %p, align 2
  %v = load i32, ptr %p, align 2
  ret i32 %v
}

define i32 @natural(ptr %p) {
; CHECK-LABEL: define i32 @natural(
; NEAR-LABEL: define i32 @natural(
; NEAR:          lshr i64 {{%.+}}, 9
; NEAR-COUNT-1:  store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     load i32, ptr %p, align 4
; CHECK-COUNT-1: store volatile i8 1
; CHECK-NEXT:    load i32, ptr %p, align 4
; DISTRUST-LABEL: define i32 @natural(
; DISTRUST:        ptrtoint ptr %p to i64
; DISTRUST:        store volatile i8 1
; DISTRUST:        add i64 {{%.+}}, 3
; DISTRUST:        store volatile i8 1
; DISTRUST-NEXT:   load i32, ptr %p, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i8 @byte(ptr %p) {
; CHECK-LABEL: define i8 @byte(
; NEAR-LABEL: define i8 @byte(
; NEAR-COUNT-1:  store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     load i8, ptr %p, align 1
; CHECK-COUNT-1: store volatile i8 1
; CHECK-NEXT:    load i8, ptr %p, align 1
; DISTRUST-LABEL: define i8 @byte(
; DISTRUST-COUNT-1: store volatile i8 1
; DISTRUST-NEXT:   load i8, ptr %p, align 1
  %v = load i8, ptr %p, align 1
  ret i8 %v
}

; Ten bytes, 16 apart.
define x86_fp80 @long_double(ptr %p) {
; CHECK-LABEL: define x86_fp80 @long_double(
; CHECK-COUNT-1: store volatile i8 1
; CHECK-NEXT:    load x86_fp80, ptr %p, align 16
  %v = load x86_fp80, ptr %p, align 16
  ret x86_fp80 %v
}

define x86_fp80 @packed_long_double(ptr %p) {
; CHECK-LABEL: define x86_fp80 @packed_long_double(
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 9
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load x86_fp80, ptr %p, align 4
  %v = load x86_fp80, ptr %p, align 4
  ret x86_fp80 %v
}

; Byte 12 of something aligned to 64: bytes 12 to 19 cross nothing.
define i64 @in_aligned_object() {
; CHECK-LABEL: define i64 @in_aligned_object(
; CHECK-COUNT-1: store volatile i8 1
; CHECK-NEXT:    load i64, ptr getelementptr (i8, ptr @aligned, i64 12), align 1
; DISTRUST-LABEL: define i64 @in_aligned_object(
; DISTRUST-COUNT-1: store volatile i8 1
; DISTRUST-NEXT:   load i64, ptr getelementptr (i8, ptr @aligned, i64 12), align 1
  %v = load i64, ptr getelementptr (i8, ptr @aligned, i64 12), align 1
  ret i64 %v
}

; Bytes 60 to 67 may.
define i64 @at_the_end_of_aligned_object() {
; CHECK-LABEL: define i64 @at_the_end_of_aligned_object(
; CHECK-COUNT-2: store volatile i8 1
; CHECK-NEXT:    load i64, ptr getelementptr (i8, ptr @aligned, i64 60), align 1
  %v = load i64, ptr getelementptr (i8, ptr @aligned, i64 60), align 1
  ret i64 %v
}

define i32 @in_local() {
; CHECK-LABEL: define i32 @in_local(
; CHECK:         store i64 0, ptr %local
; CHECK:         call void @opaque()
; CHECK-COUNT-1: store volatile i8 1
; CHECK-NEXT:    load i32, ptr %inside, align 1
  %local = alloca [4 x i64], align 32
  store i64 0, ptr %local, align 8
  call void @opaque()
  %inside = getelementptr i8, ptr %local, i64 9
  %v = load i32, ptr %inside, align 1
  ret i32 %v
}

declare void @opaque()
