; Vector-predicated accesses: enabled lanes below the length.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.vp.load.v4i32.p0(ptr, <4 x i1>, i32)
declare void @llvm.vp.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>, i32)
declare <2 x i64> @llvm.vp.gather.v2i64.v2p0(<2 x ptr>, <2 x i1>, i32)
declare void @llvm.vp.scatter.v2i64.v2p0(<2 x i64>, <2 x ptr>, <2 x i1>, i32)
declare <2 x i64> @llvm.experimental.vp.strided.load.v2i64.p0.i64(ptr, i64, <2 x i1>, i32)

define <4 x i32> @load(ptr %p, <4 x i1> %mask, i32 %length) {
; CHECK-LABEL: define <4 x i32> @load(
; CHECK:         [[SPLAT:%.+]] = shufflevector
; CHECK-NEXT:    [[BELOW:%.+]] = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, [[SPLAT]]
; CHECK-NEXT:    [[LANES:%.+]] = and <4 x i1> %mask, [[BELOW]]
; CHECK-NEXT:    bitcast <4 x i1> [[LANES]] to i4
; CHECK:         br i1
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:         call <4 x i32> @llvm.vp.load
  %v = call <4 x i32> @llvm.vp.load.v4i32.p0(ptr align 4 %p, <4 x i1> %mask, i32 %length)
  ret <4 x i32> %v
}

; Two lanes of four: bytes 0 to 7.
define void @constant_store(ptr %p, <4 x i32> %v) {
; CHECK-LABEL: define void @constant_store(
; CHECK-NOT:     br
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 7{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.vp.store
  call void @llvm.vp.store.v4i32.p0(<4 x i32> %v, ptr %p, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, i32 2)
  ret void
}

define <2 x i64> @gather(<2 x ptr> %p, <2 x i1> %mask, i32 %length) {
; CHECK-LABEL: define <2 x i64> @gather(
; CHECK:         icmp ult <2 x i32>
; CHECK:         br i1
; CHECK:         extractelement <2 x ptr> %p, i64 0
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         br i1
; CHECK:         extractelement <2 x ptr> %p, i64 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         call <2 x i64> @llvm.vp.gather
  %v = call <2 x i64> @llvm.vp.gather.v2i64.v2p0(<2 x ptr> align 8 %p, <2 x i1> %mask, i32 %length)
  ret <2 x i64> %v
}

define void @scatter(<2 x i64> %v, <2 x ptr> %p, <2 x i1> %mask) {
; CHECK-LABEL: define void @scatter(
; CHECK:         br i1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         call void @llvm.vp.scatter
  call void @llvm.vp.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> align 8 %p, <2 x i1> %mask, i32 2)
  ret void
}

define <2 x i64> @strided(ptr %p, i64 %stride) {
; CHECK-LABEL: define <2 x i64> @strided(
; CHECK:         [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK:         [[STEP:%.+]] = mul i64 %stride, 1
; CHECK-NEXT:    add i64 {{%.+}}, [[STEP]]
; CHECK:         call <2 x i64> @llvm.experimental.vp.strided.load
  %v = call <2 x i64> @llvm.experimental.vp.strided.load.v2i64.p0.i64(ptr %p, i64 %stride, <2 x i1> <i1 true, i1 true>, i32 2)
  ret <2 x i64> %v
}
