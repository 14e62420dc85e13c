; Expanding loads and compressing stores touch as many elements as lanes are
; enabled, side by side.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;granule=6>,verify' -S %s | FileCheck %s --check-prefix=FINE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.compressstore.v4i64(<4 x i64>, ptr, <4 x i1>)
declare void @llvm.masked.compressstore.v16i64(<16 x i64>, ptr, <16 x i1>)

define <4 x i32> @expand(ptr %p, <4 x i1> %mask) {
; CHECK-LABEL: define <4 x i32> @expand(
; CHECK:         [[BITS:%.+]] = zext i4 {{%.+}} to i64
; CHECK-NEXT:    [[COUNT:%.+]] = call i64 @llvm.ctpop.i64(i64 [[BITS]])
; CHECK-NEXT:    [[BYTES:%.+]] = mul i64 [[COUNT]], 4
; CHECK-NEXT:    [[ANY:%.+]] = icmp ne i64 [[BITS]], 0
; CHECK-NEXT:    br i1 [[ANY]], label %[[MARK:.+]], label %[[ACCESS:.+]]
; CHECK:       [[MARK]]:
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    lshr i64 [[BASE]], 12
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[END:%.+]] = add i64 [[BASE]], [[BYTES]]
; CHECK-NEXT:    [[LAST:%.+]] = sub i64 [[END]], 1
; CHECK-NEXT:    lshr i64 [[LAST]], 12
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
; CHECK-NEXT:    call <4 x i32> @llvm.masked.expandload
  %v = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %mask, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}

; Three lanes: 24 bytes, whichever lanes they are.
define void @constant_compress(ptr %p, <4 x i64> %v) {
; CHECK-LABEL: define void @constant_compress(
; CHECK-NOT:     br
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 23
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.masked.compressstore
  call void @llvm.masked.compressstore.v4i64(<4 x i64> %v, ptr %p, <4 x i1> <i1 true, i1 false, i1 true, i1 true>)
  ret void
}

; As much as more than a granule: the runtime marks, or does nothing for none.
define void @long_compress(ptr %p, <16 x i64> %v, <16 x i1> %mask) {
; FINE-LABEL: define void @long_compress(
; FINE:         [[COUNT:%.+]] = call i64 @llvm.ctpop.i64
; FINE-NEXT:    [[BYTES:%.+]] = mul i64 [[COUNT]], 8
; FINE-NEXT:    call void @__pagetide_mark_write(ptr %p, i64 [[BYTES]])
; FINE-NEXT:    call void @llvm.masked.compressstore
  call void @llvm.masked.compressstore.v16i64(<16 x i64> %v, ptr %p, <16 x i1> %mask)
  ret void
}
