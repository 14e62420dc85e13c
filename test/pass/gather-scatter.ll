; Gathers and scatters: each enabled lane at its own address.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefix=RW

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i64.v2p0(<2 x i64>, <2 x ptr>, i32, <2 x i1>)
declare void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr>, i32, <2 x i1>)

define <2 x i32> @gather(<2 x ptr> %p, <2 x i1> %mask) {
; CHECK-LABEL: define <2 x i32> @gather(
; CHECK-NEXT:    [[LANES:%.+]] = bitcast <2 x i1> %mask to i2
; CHECK-NEXT:    [[BITS:%.+]] = zext i2 [[LANES]] to i64
; CHECK-NEXT:    [[BIT0:%.+]] = and i64 [[BITS]], 1
; CHECK-NEXT:    [[IS0:%.+]] = icmp ne i64 [[BIT0]], 0
; CHECK-NEXT:    br i1 [[IS0]], label %[[MARK0:.+]], label %[[NEXT0:.+]]
; CHECK:       [[MARK0]]:
; CHECK-NEXT:    [[P0:%.+]] = extractelement <2 x ptr> %p, i64 0
; CHECK-NEXT:    [[A0:%.+]] = ptrtoint ptr [[P0]] to i64
; CHECK-NEXT:    [[I0:%.+]] = lshr i64 [[A0]], 12
; CHECK-NEXT:    [[S0_PLACE:%.+]] = add i64 [[I0]], 2147418112
; CHECK-NEXT:    [[S0:%.+]] = inttoptr i64 [[S0_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[S0]]
; CHECK-NEXT:    br label %[[NEXT0]]
; CHECK:       [[NEXT0]]:
; CHECK-NEXT:    [[BIT1:%.+]] = and i64 [[BITS]], 2
; CHECK-NEXT:    [[IS1:%.+]] = icmp ne i64 [[BIT1]], 0
; CHECK-NEXT:    br i1 [[IS1]], label %[[MARK1:.+]], label %[[NEXT1:.+]]
; CHECK:       [[MARK1]]:
; CHECK-NEXT:    extractelement <2 x ptr> %p, i64 1
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[NEXT1]]
; CHECK:       [[NEXT1]]:
; CHECK-NEXT:    call <2 x i32> @llvm.masked.gather
; CHECK-NEXT:    ret
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %p, i32 4, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}

; Under-aligned elements may straddle.
define void @packed_scatter(<2 x ptr> %p, <2 x i64> %v) {
; CHECK-LABEL: define void @packed_scatter(
; CHECK-NOT:     br
; CHECK:         extractelement <2 x ptr> %p, i64 0
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         extractelement <2 x ptr> %p, i64 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.masked.scatter
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> %p, i32 1, <2 x i1> <i1 true, i1 true>)
  ret void
}

define void @constant_scatter(<2 x ptr> %p, <2 x i64> %v) {
; CHECK-LABEL: define void @constant_scatter(
; CHECK-NEXT:    extractelement <2 x ptr> %p, i64 1
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.masked.scatter
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> %p, i32 8, <2 x i1> <i1 false, i1 true>)
  ret void
}

; Read and written.
define void @histogram(<2 x ptr> %p) {
; RW-LABEL: define void @histogram(
; RW-COUNT-8:  store volatile i8 1, ptr addrspace(256)
; RW-NEXT:     call void @llvm.experimental.vector.histogram
  call void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr> %p, i32 1, <2 x i1> <i1 true, i1 true>)
  ret void
}
