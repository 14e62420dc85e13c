; x86's own masked loads and stores, gathers, scatters and narrowing stores.

; RUN: sed "s/MMX/%mmx_type/g" %s | %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <8 x float> @llvm.x86.avx.maskload.ps.256(ptr, <8 x i32>)
declare void @llvm.x86.avx2.maskstore.q(ptr, <2 x i64>, <2 x i64>)
declare void @llvm.x86.sse2.maskmov.dqu(<16 x i8>, <16 x i8>, ptr)
declare void @llvm.x86.mmx.maskmovq(MMX, MMX, ptr)
declare <4 x float> @llvm.x86.avx2.gather.q.ps(<4 x float>, ptr, <2 x i64>, <4 x float>, i8)
declare <2 x double> @llvm.x86.avx512.mask.gather3siv2.df(<2 x double>, ptr, <4 x i32>, <2 x i1>, i32)
declare void @llvm.x86.avx512.mask.scatter.qps.512(ptr, <8 x i1>, <8 x i64>, <8 x float>, i32)
declare void @llvm.x86.avx512.mask.pmovs.qw.mem.128(ptr, <2 x i64>, i8)
declare void @llvm.x86.avx512.mask.pmovus.db.mem.512(ptr, <16 x i32>, i16)

; The sign bits are the mask.
define <8 x float> @maskload(ptr %p, <8 x i32> %mask) {
; CHECK-LABEL: define <8 x float> @maskload(
; CHECK-NEXT:    [[LANES:%.+]] = icmp slt <8 x i32> %mask, zeroinitializer
; CHECK-NEXT:    [[NARROW:%.+]] = bitcast <8 x i1> [[LANES]] to i8
; CHECK-NEXT:    [[BITS:%.+]] = zext i8 [[NARROW]] to i64
; CHECK:         br i1
; CHECK:         mul i64 {{%.+}}, 4
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         call <8 x float> @llvm.x86.avx.maskload.ps.256
  %v = call <8 x float> @llvm.x86.avx.maskload.ps.256(ptr %p, <8 x i32> %mask)
  ret <8 x float> %v
}

; Lane 1 of two: bytes 8 to 15.
define void @constant_maskstore(ptr %p, <2 x i64> %v) {
; CHECK-LABEL: define void @constant_maskstore(
; CHECK-NOT:     br
; CHECK:         add i64 {{%.+}}, 8{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 15{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.avx2.maskstore.q
  call void @llvm.x86.avx2.maskstore.q(ptr %p, <2 x i64> <i64 5, i64 -5>, <2 x i64> %v)
  ret void
}

define void @maskmov(<16 x i8> %v, <16 x i8> %mask, ptr %p) {
; CHECK-LABEL: define void @maskmov(
; CHECK-NEXT:    icmp slt <16 x i8> %mask, zeroinitializer
; CHECK:         br i1
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:         call void @llvm.x86.sse2.maskmov.dqu
  call void @llvm.x86.sse2.maskmov.dqu(<16 x i8> %v, <16 x i8> %mask, ptr %p)
  ret void
}

define void @maskmov_mmx(MMX %v, MMX %mask, ptr %p) {
; CHECK-LABEL: define void @maskmov_mmx(
; CHECK-NEXT:    [[BYTES:%.+]] = bitcast {{x86_mmx|<1 x i64>}} %mask to <8 x i8>
; CHECK-NEXT:    icmp slt <8 x i8> [[BYTES]], zeroinitializer
; CHECK:         br i1
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:         call void @llvm.x86.mmx.maskmovq
  call void @llvm.x86.mmx.maskmovq(MMX %v, MMX %mask, ptr %p)
  ret void
}

; Four floats, two indices: two lanes.
define <4 x float> @gather_avx2(ptr %p, <2 x i64> %index, <4 x float> %mask) {
; CHECK-LABEL: define <4 x float> @gather_avx2(
; CHECK:         [[SIGNS:%.+]] = icmp slt <4 x i32> {{%.+}}, zeroinitializer
; CHECK-NEXT:    [[LOW:%.+]] = shufflevector <4 x i1> [[SIGNS]], <4 x i1> poison, <2 x i32> <i32 0, i32 1>
; CHECK-NEXT:    bitcast <2 x i1> [[LOW]] to i2
; CHECK:         br i1
; CHECK:         [[BASE0:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[INDEX0:%.+]] = extractelement <2 x i64> %index, i64 0
; CHECK-NEXT:    [[OFFSET0:%.+]] = mul i64 [[INDEX0]], 8
; CHECK-NEXT:    add i64 [[BASE0]], [[OFFSET0]]
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         br i1
; CHECK:         extractelement <2 x i64> %index, i64 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     extractelement
; CHECK:         call <4 x float> @llvm.x86.avx2.gather.q.ps
  %v = call <4 x float> @llvm.x86.avx2.gather.q.ps(<4 x float> zeroinitializer, ptr %p, <2 x i64> %index, <4 x float> %mask, i8 8)
  ret <4 x float> %v
}

; Indices are signed.
define <2 x double> @gather_avx512(ptr %p, <4 x i32> %index) {
; CHECK-LABEL: define <2 x double> @gather_avx512(
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[NARROW:%.+]] = extractelement <4 x i32> %index, i64 1
; CHECK-NEXT:    [[INDEX:%.+]] = sext i32 [[NARROW]] to i64
; CHECK-NEXT:    [[OFFSET:%.+]] = mul i64 [[INDEX]], 4
; CHECK-NEXT:    [[ADDRESS:%.+]] = add i64 [[BASE]], [[OFFSET]]
; CHECK-NEXT:    lshr i64 [[ADDRESS]], 12
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call <2 x double> @llvm.x86.avx512.mask.gather3siv2.df
  %v = call <2 x double> @llvm.x86.avx512.mask.gather3siv2.df(<2 x double> zeroinitializer, ptr %p, <4 x i32> %index, <2 x i1> <i1 false, i1 true>, i32 4)
  ret <2 x double> %v
}

define void @scatter_avx512(ptr %p, <8 x i1> %mask, <8 x i64> %index, <8 x float> %v) {
; CHECK-LABEL: define void @scatter_avx512(
; CHECK:         extractelement <8 x i64> %index, i64 0
; CHECK:         extractelement <8 x i64> %index, i64 7
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         call void @llvm.x86.avx512.mask.scatter.qps.512
  call void @llvm.x86.avx512.mask.scatter.qps.512(ptr %p, <8 x i1> %mask, <8 x i64> %index, <8 x float> %v, i32 1)
  ret void
}

; Two lanes, two bytes each; the mask has eight bits.
define void @narrow_words(ptr %p, <2 x i64> %v, i8 %mask) {
; CHECK-LABEL: define void @narrow_words(
; CHECK-NEXT:    [[LANES:%.+]] = bitcast i8 %mask to <8 x i1>
; CHECK-NEXT:    [[LOW:%.+]] = shufflevector <8 x i1> [[LANES]], <8 x i1> poison, <2 x i32> <i32 0, i32 1>
; CHECK-NEXT:    bitcast <2 x i1> [[LOW]] to i2
; CHECK:         br i1
; CHECK:         mul i64 {{%.+}}, 2
; CHECK:         call void @llvm.x86.avx512.mask.pmovs.qw.mem.128
  call void @llvm.x86.avx512.mask.pmovs.qw.mem.128(ptr %p, <2 x i64> %v, i8 %mask)
  ret void
}

; Bits 0 to 3: four bytes.
define void @narrow_bytes(ptr %p, <16 x i32> %v) {
; CHECK-LABEL: define void @narrow_bytes(
; CHECK-NOT:     br
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 3{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.avx512.mask.pmovus.db.mem.512
  call void @llvm.x86.avx512.mask.pmovus.db.mem.512(ptr %p, <16 x i32> %v, i16 15)
  ret void
}
