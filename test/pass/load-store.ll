; A mark is a volatile store of one byte, right before its access. The layout
; decides to which cell it goes.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefixes=CHECK,RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,ACCESS
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @load(ptr %p) {
; CHECK-LABEL: define i32 @load(
; NEAR-LABEL: define i32 @load(
; NEAR-NEXT:     [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; NEAR-NEXT:     [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 9
; NEAR-NEXT:     [[PAIR:%.+]] = shl nuw i64 [[INDEX]], 2
; NEAR-NEXT:     [[SHADOW_PLACE:%.+]] = add i64 [[PAIR]], 2147418112
; NEAR-NEXT:     [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; NEAR-NEXT:     store volatile i8 1, ptr addrspace(256) [[SHADOW]], align 1, !nosanitize
; NEAR-NEXT:     %v = load i32, ptr %p, align 4
; NEAR-NEXT:     ret i32 %v
; RW-NEXT:       [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; RW-NEXT:       [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; RW-NEXT:       [[PAIR:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; RW-NEXT:       [[SHADOW_PLACE:%.+]] = add i64 [[PAIR]], 2147418112
; RW-NEXT:       [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; RW-NEXT:       store volatile i8 1, ptr addrspace(256) [[SHADOW]], align 1, !nosanitize
; ACCESS-NEXT:   [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; ACCESS-NEXT:   [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; ACCESS-NEXT:   [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; ACCESS-NEXT:   [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; ACCESS-NEXT:   store volatile i8 1, ptr addrspace(256) [[SHADOW]], align 1, !nosanitize
; CHECK-NEXT:    %v = load i32, ptr %p, align 4
; CHECK-NEXT:    ret i32 %v
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define void @store(ptr %p, i32 %v) {
; CHECK-LABEL: define void @store(
; NEAR-LABEL: define void @store(
; NEAR-NEXT:     [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; NEAR-NEXT:     [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 9
; NEAR-NEXT:     [[PAIR:%.+]] = shl nuw i64 [[INDEX]], 2
; NEAR-NEXT:     [[SHADOW_PLACE:%.+]] = add i64 [[PAIR]], 2147418113
; NEAR-NEXT:     [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; NEAR-NEXT:     store volatile i8 1, ptr addrspace(256) [[SHADOW]], align 1, !nosanitize
; NEAR-NEXT:     store i32 %v, ptr %p, align 4
; NEAR-NEXT:     ret void
; CHECK-NEXT:    [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; RW-NEXT:       [[PAIR:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; RW-NEXT:       [[CELL:%.+]] = add i64 [[PAIR]], 2147418113
; RW-NEXT:       [[SHADOW:%.+]] = inttoptr i64 [[CELL]] to ptr addrspace(256)
; ACCESS-NEXT:   [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; ACCESS-NEXT:   [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; WRITE-NEXT:    [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; WRITE-NEXT:    [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[SHADOW]], align 1, !nosanitize
; CHECK-NEXT:    store i32 %v, ptr %p, align 4
; CHECK-NEXT:    ret void
  store i32 %v, ptr %p, align 4
  ret void
}

; One mark serves both, before the load that the store updates.
define void @increment(ptr %p) {
; CHECK-LABEL: define void @increment(
; NEAR-LABEL: define void @increment(
; NEAR-COUNT-1:  lshr i64
; NEAR-NOT:      lshr
; NEAR:          add i64 {{%.+}}, 2147418112
; NEAR:          store volatile i16 257, ptr addrspace(256)
; NEAR-NEXT:     %old = load i32, ptr %p
; NEAR-NEXT:     %new = add i32 %old, 1
; NEAR-NEXT:     store i32 %new, ptr %p
; RW-NEXT:       [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; RW-NEXT:       [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; RW-NEXT:       [[PAIR:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; RW-NEXT:       [[SHADOW_PLACE:%.+]] = add i64 [[PAIR]], 2147418112
; RW-NEXT:       [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; RW-NEXT:       store volatile i16 257, ptr addrspace(256) [[SHADOW]], align 2, !nosanitize
; ACCESS-NEXT:   [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; ACCESS-NEXT:   [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; ACCESS-NEXT:   [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; ACCESS-NEXT:   [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; ACCESS-NEXT:   store volatile i8 1, ptr addrspace(256) [[SHADOW]]
; WRITE-NEXT:    [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; WRITE-NEXT:    [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; WRITE-NEXT:    [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; WRITE-NEXT:    [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]] to ptr addrspace(256)
; WRITE-NEXT:    store volatile i8 1, ptr addrspace(256) [[SHADOW]]
; CHECK-NEXT:    %old = load i32, ptr %p
; CHECK-NEXT:    %new = add i32 %old, 1
; CHECK-NEXT:    store i32 %new, ptr %p
; CHECK-NEXT:    ret void
  %old = load i32, ptr %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr %p, align 4
  ret void
}

; Types of all kinds: the mark is by address, the type says only how far it
; reaches.
define void @types(ptr %p, ptr %q) {
; CHECK-LABEL: define void @types(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i1 true, ptr %p
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 0, ptr %q
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store volatile ptr null, ptr %p
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store volatile double 0.000000e+00, ptr %q
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store volatile x86_fp80
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store volatile <4 x float> zeroinitializer, ptr %q
; CHECK-NEXT:    ret void
  store i1 true, ptr %p
  store volatile i8 0, ptr %q
  store volatile ptr null, ptr %p, align 8
  store volatile double 0.0, ptr %q, align 8
  store volatile x86_fp80 0xK00000000000000000000, ptr %p, align 16
  store volatile <4 x float> zeroinitializer, ptr %q, align 16
  ret void
}
