; Masked accesses touch their enabled lanes, and nothing at all if no lane is
; enabled.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefix=WRITE
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;granule=6>,verify' -S %s | FileCheck %s --check-prefix=FINE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, i32, <16 x i1>, <16 x i64>)

; The first and the last enabled lane, if there is one.
define <4 x i32> @load(ptr %p, <4 x i1> %mask) {
; CHECK-LABEL: define <4 x i32> @load(
; NEAR-LABEL: define <4 x i32> @load(
; NEAR:          br i1 {{%.+}}, label %[[MARK:.+]], label %[[ACCESS:.+]]
; NEAR:        [[MARK]]:
; NEAR:          [[FIRST:%.+]] = call i64 @llvm.cttz.i64(
; NEAR:          [[FIRST_OFFSET:%.+]] = mul i64 [[FIRST]], 4
; NEAR:          [[FIRST_BYTE:%.+]] = add i64 {{%.+}}, [[FIRST_OFFSET]]
; NEAR-NEXT:     [[FIRST_INDEX:%.+]] = lshr i64 [[FIRST_BYTE]], 9
; NEAR-NEXT:     shl nuw i64 [[FIRST_INDEX]], 1
; NEAR:          store volatile i8 1, ptr addrspace(256)
; NEAR:          [[LAST_BYTE:%.+]] = sub i64 {{%.+}}, 1
; NEAR-NEXT:     [[LAST_INDEX:%.+]] = lshr i64 [[LAST_BYTE]], 9
; NEAR-NEXT:     shl nuw i64 [[LAST_INDEX]], 1
; NEAR:          store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     br label %[[ACCESS]]
; NEAR:        [[ACCESS]]:
; NEAR-NEXT:     call <4 x i32> @llvm.masked.load
; CHECK-NEXT:    [[LANES:%.+]] = bitcast <4 x i1> %mask to i4
; CHECK-NEXT:    [[BITS:%.+]] = zext i4 [[LANES]] to i64
; CHECK-NEXT:    [[ANY:%.+]] = icmp ne i64 [[BITS]], 0
; CHECK-NEXT:    br i1 [[ANY]], label %[[MARK:.+]], label %[[ACCESS:.+]]
; CHECK:       [[MARK]]:
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[FIRST:%.+]] = call i64 @llvm.cttz.i64(i64 [[BITS]], i1 true)
; CHECK-NEXT:    [[ZEROS:%.+]] = call i64 @llvm.ctlz.i64(i64 [[BITS]], i1 true)
; CHECK-NEXT:    [[END:%.+]] = sub i64 64, [[ZEROS]]
; CHECK-NEXT:    [[FIRST_OFFSET:%.+]] = mul i64 [[FIRST]], 4
; CHECK-NEXT:    [[FIRST_BYTE:%.+]] = add i64 [[BASE]], [[FIRST_OFFSET]]
; CHECK-NEXT:    [[FIRST_INDEX:%.+]] = lshr i64 [[FIRST_BYTE]], 12
; CHECK-NEXT:    [[FIRST_SHADOW_PLACE:%.+]] = add i64 [[FIRST_INDEX]], 2147418112
; CHECK-NEXT:    [[FIRST_SHADOW:%.+]] = inttoptr i64 [[FIRST_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[FIRST_SHADOW]]
; CHECK-NEXT:    [[END_OFFSET:%.+]] = mul i64 [[END]], 4
; CHECK-NEXT:    [[END_BYTE:%.+]] = add i64 [[BASE]], [[END_OFFSET]]
; CHECK-NEXT:    [[LAST_BYTE:%.+]] = sub i64 [[END_BYTE]], 1
; CHECK-NEXT:    [[LAST_INDEX:%.+]] = lshr i64 [[LAST_BYTE]], 12
; CHECK-NEXT:    [[LAST_SHADOW_PLACE:%.+]] = add i64 [[LAST_INDEX]], 2147418112
; CHECK-NEXT:    [[LAST_SHADOW:%.+]] = inttoptr i64 [[LAST_SHADOW_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[LAST_SHADOW]]
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
; CHECK-NEXT:    call <4 x i32> @llvm.masked.load
; CHECK-NEXT:    ret
; WRITE-LABEL: define <4 x i32> @load(
; WRITE-NEXT:    call <4 x i32> @llvm.masked.load
; WRITE-NEXT:    ret
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %mask, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}

; All lanes lie in one granule: any enabled lane marks it.
define void @aligned_store(ptr %p, <4 x i32> %v, <4 x i1> %mask) {
; CHECK-LABEL: define void @aligned_store(
; NEAR-LABEL: define void @aligned_store(
; NEAR:          lshr i64 {{%.+}}, 9
; NEAR-COUNT-1:  store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     br label
; NEAR:          call void @llvm.masked.store
; CHECK:         br i1 {{%.+}}, label %[[MARK:.+]], label %[[ACCESS:.+]]
; CHECK:       [[MARK]]:
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
; CHECK-NEXT:    call void @llvm.masked.store
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 16, <4 x i1> %mask)
  ret void
}

; More lanes than fit into a granule: each for itself.
define <16 x i64> @long(ptr %p, <16 x i1> %mask) {
; FINE-LABEL: define <16 x i64> @long(
; FINE:          [[BITS:%.+]] = zext i16 {{%.+}} to i64
; FINE-NEXT:     [[BIT0:%.+]] = and i64 [[BITS]], 1
; FINE-NEXT:     [[IS0:%.+]] = icmp ne i64 [[BIT0]], 0
; FINE-NEXT:     br i1 [[IS0]]
; FINE:          store volatile i8 1, ptr addrspace(256)
; FINE:          [[BIT15:%.+]] = and i64 [[BITS]], 32768
; FINE-NEXT:     [[IS15:%.+]] = icmp ne i64 [[BIT15]], 0
; FINE-NEXT:     br i1 [[IS15]], label %[[MARK:.+]], label %[[ACCESS:.+]]
; FINE:        [[MARK]]:
; FINE-NEXT:     [[BASE:%.+]] = ptrtoint ptr %p to i64
; FINE-NEXT:     add i64 [[BASE]], 120
; FINE-COUNT-1:  store volatile i8 1, ptr addrspace(256)
; FINE-NEXT:     br label %[[ACCESS]]
; FINE:        [[ACCESS]]:
; FINE-NEXT:     call <16 x i64> @llvm.masked.load
  %v = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr %p, i32 8, <16 x i1> %mask, <16 x i64> zeroinitializer)
  ret <16 x i64> %v
}

; A mask known beforehand takes no branch: lanes 1 and 2 are bytes 4 to 11.
define <4 x i32> @constant(ptr %p) {
; CHECK-LABEL: define <4 x i32> @constant(
; CHECK-NOT:     br
; CHECK:         add i64 {{%.+}}, 4{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 11{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call <4 x i32> @llvm.masked.load
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> <i1 false, i1 true, i1 true, i1 undef>, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}

define <4 x i32> @none(ptr %p) {
; CHECK-LABEL: define <4 x i32> @none(
; CHECK-NEXT:    call <4 x i32> @llvm.masked.load
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> zeroinitializer, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}

; An alloca that stood after the access still belongs to the frame.
define i32 @entry_block(ptr %p, <4 x i1> %mask) {
; CHECK-LABEL: define i32 @entry_block(
; CHECK-NEXT:    %late = alloca i32
; CHECK:         br i1
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %mask, <4 x i32> zeroinitializer)
  %late = alloca i32, align 4
  %e = extractelement <4 x i32> %v, i32 0
  store i32 %e, ptr %late, align 4
  ret i32 %e
}
