; Atomic accesses are marked like others; updates count as read and as written.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefixes=CHECK,RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,ONE
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,ONE,WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @update(ptr %p) {
; CHECK-LABEL: define i32 @update(
; NEAR-LABEL: define i32 @update(
; NEAR-NEXT:     [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; NEAR-NEXT:     [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 9
; NEAR-NEXT:     [[READ:%.+]] = shl nuw i64 [[INDEX]], 2
; NEAR-NEXT:     add i64 [[READ]], 2147418112
; NEAR:          store volatile i16 257, ptr addrspace(256)
; NEAR-NEXT:     atomicrmw add ptr %p
; CHECK-NEXT:    [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; RW-NEXT:       [[READ:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; RW-NEXT:       [[READ_SHADOW_PLACE:%.+]] = add i64 [[READ]], 2147418112
; RW-NEXT:       [[READ_SHADOW:%.+]] = inttoptr i64 [[READ_SHADOW_PLACE]]
; RW-NEXT:       store volatile i16 257, ptr addrspace(256) [[READ_SHADOW]], align 2
; ONE-NEXT:      [[SHADOW_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; ONE-NEXT:      [[SHADOW:%.+]] = inttoptr i64 [[SHADOW_PLACE]]
; ONE-NEXT:      store volatile i8 1, ptr addrspace(256) [[SHADOW]]
; CHECK-NEXT:    atomicrmw add ptr %p
; CHECK-NEXT:    ret
  %v = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %v
}

define { i64, i1 } @exchange(ptr %p, i64 %a, i64 %b) {
; CHECK-LABEL: define { i64, i1 } @exchange(
; NEAR-LABEL: define { i64, i1 } @exchange(
; NEAR-COUNT-1:  store volatile i16 257, ptr addrspace(256)
; NEAR-NEXT:     cmpxchg ptr %p
; RW-COUNT-1:    store volatile i16 257, ptr addrspace(256)
; ONE-COUNT-1:   store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    cmpxchg ptr %p
; CHECK-NEXT:    ret
  %v = cmpxchg ptr %p, i64 %a, i64 %b seq_cst seq_cst
  ret { i64, i1 } %v
}

define i32 @load(ptr %p) {
; CHECK-LABEL: define i32 @load(
; NEAR-LABEL: define i32 @load(
; NEAR-COUNT-1:  store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     load atomic i32, ptr %p acquire
; RW-COUNT-1:    store volatile i8 1, ptr addrspace(256)
; WRITE-NOT:     addrspace(256)
; CHECK:         load atomic i32, ptr %p acquire
; CHECK-NEXT:    ret
  %v = load atomic i32, ptr %p acquire, align 4
  ret i32 %v
}

define void @store(ptr %p) {
; CHECK-LABEL: define void @store(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store atomic i32 0, ptr %p release
; CHECK-NEXT:    fence seq_cst
; CHECK-NEXT:    ret
  store atomic i32 0, ptr %p release, align 4
  fence seq_cst
  ret void
}
