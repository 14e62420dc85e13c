; x86's intrinsics with an operand of known size, those that only take an
; address, tiles, and those that the pass does not know.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s 2>%t | FileCheck %s --check-prefix=CHECK
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.fxsave64(ptr)
declare <32 x i8> @llvm.x86.avx.ldu.dq.256(ptr)
declare void @llvm.x86.movdir64b(ptr, ptr)
declare i32 @llvm.x86.cmpccxadd32(ptr, i32, i32, i32)
declare void @llvm.x86.sse2.clflush(ptr)
declare void @llvm.x86.clwb(ptr)
declare void @llvm.x86.xsave64(ptr, i32, i32)
declare void @llvm.x86.tileloadd64(i8, ptr, i64)
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)

define void @read4(ptr %p) {
; CHECK-LABEL: define void @read4(
; CHECK-NOT:     add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 3{{$}}
; CHECK-NOT:     add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.sse.ldmxcsr
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}

define void @written4(ptr %p) {
; CHECK-LABEL: define void @written4(
; CHECK:         add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 3{{$}}
; CHECK:         add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.sse.stmxcsr
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  ret void
}

define void @written512(ptr %p) {
; CHECK-LABEL: define void @written512(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 511{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.fxsave64
  call void @llvm.x86.fxsave64(ptr %p)
  ret void
}

define <32 x i8> @read32(ptr %p) {
; CHECK-LABEL: define <32 x i8> @read32(
; CHECK:         add i64 {{%.+}}, 31{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call <32 x i8> @llvm.x86.avx.ldu.dq.256
  %v = call <32 x i8> @llvm.x86.avx.ldu.dq.256(ptr %p)
  ret <32 x i8> %v
}

; The destination is aligned by the instruction's own rule.
define void @moved64(ptr %to, ptr %from) {
; CHECK-LABEL: define void @moved64(
; CHECK-NEXT:    ptrtoint ptr %from to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    ptrtoint ptr %from to i64
; CHECK-NEXT:    add i64 {{%.+}}, 63
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[TO:%.+]] = ptrtoint ptr %to to i64
; CHECK-NEXT:    lshr i64 [[TO]], 12
; CHECK-NEXT:    add nuw
; CHECK-NEXT:    add i64 {{%.+}}, 2147418113
; CHECK-NEXT:    inttoptr
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.x86.movdir64b
  call void @llvm.x86.movdir64b(ptr %to, ptr %from)
  ret void
}

define i32 @updated(ptr %p) {
; CHECK-LABEL: define i32 @updated(
; CHECK-COUNT-1: store volatile i16 257, ptr addrspace(256)
; CHECK-NEXT:    call i32 @llvm.x86.cmpccxadd32
  %v = call i32 @llvm.x86.cmpccxadd32(ptr %p, i32 1, i32 2, i32 4)
  ret i32 %v
}

define void @cache(ptr %p) {
; CHECK-LABEL: define void @cache(
; CHECK-NEXT:    call void @llvm.x86.sse2.clflush
; CHECK-NEXT:    call void @llvm.x86.clwb
; CHECK-NEXT:    ret
  call void @llvm.x86.sse2.clflush(ptr %p)
  call void @llvm.x86.clwb(ptr %p)
  ret void
}

; 16 rows at most, each of %columns bytes, %stride apart.
define void @tile(i16 %rows, i16 %columns, ptr %p, i64 %stride) {
; CHECK-LABEL: define void @tile(
; CHECK:         icmp ult <16 x i16> <i16 0, i16 1, i16 2,
; CHECK:         br i1
; CHECK:         br i1
; CHECK:         [[OFFSET:%.+]] = mul i64 %stride, 1
; CHECK-NEXT:    [[FIRST:%.+]] = add i64 {{%.+}}, [[OFFSET]]
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[BYTES:%.+]] = zext i16 %columns to i64
; CHECK-NEXT:    [[END:%.+]] = add i64 [[FIRST]], [[BYTES]]
; CHECK-NEXT:    sub i64 [[END]], 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         mul i64 %stride, 15
; CHECK:         call x86_amx @llvm.x86.tileloadd64.internal
  %t = call x86_amx @llvm.x86.tileloadd64.internal(i16 %rows, i16 %columns, ptr %p, i64 %stride)
  ret void
}

; WARNING:      warning: Pagetide: the memory that 'llvm.x86.xsave64' touches in function 'unknown'
; WARNING-SAME: is not marked
; WARNING-NOT:  xsave64
; WARNING:      warning: Pagetide: the memory that 'llvm.x86.tileloadd64' touches in function 'unknown'
; WARNING-NOT:  warning
define void @unknown(ptr %p) {
; CHECK-LABEL: define void @unknown(
; CHECK-NEXT:    call void @llvm.x86.xsave64
; CHECK-NEXT:    call void @llvm.x86.xsave64
; CHECK-NEXT:    call void @llvm.x86.tileloadd64
; CHECK-NEXT:    ret
  call void @llvm.x86.xsave64(ptr %p, i32 0, i32 7)
  call void @llvm.x86.xsave64(ptr %p, i32 0, i32 7)
  call void @llvm.x86.tileloadd64(i8 0, ptr %p, i64 64)
  ret void
}
