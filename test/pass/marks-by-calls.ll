; Option marks=calls: each access is one call of the runtime, whatever other
; accesses there are, and no mark is made inline. Bits of the last argument: 1
; reads, 2 writes.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<marks=calls>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<marks=calls;layout=write>,verify' -S %s | FileCheck %s --check-prefix=WRITE

; Option marks-in: in the functions named alone.
; RUN: echo one_object >%t.names
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<marks=calls;marks-in='%t.names'>,verify' -S %s | FileCheck %s --check-prefix=NAMED
; RUN: not %opt -load-pass-plugin=%pass -passes='pagetide<marks=calls;marks-in='%t.absent'>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=ABSENT
; ABSENT: option marks-in: cannot read '{{.*}}.absent': No such file or directory; give a file of function names, one per line

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: addrspace(256)

; NAMED-LABEL: define i32 @one_object(
; NAMED-NOT:     addrspace(256)
; NAMED:         call void @__pagetide_access(
; NAMED-NOT:     addrspace(256)
; NAMED:         ret i32
define i32 @one_object(ptr %p) {
; CHECK-LABEL: define i32 @one_object(
; CHECK-NEXT:    %q = getelementptr i8, ptr %p, i64 4
; CHECK-NEXT:    call void @__pagetide_access(ptr %p, i64 4, i32 1)
; CHECK-NEXT:    %v = load i32, ptr %p
; CHECK-NEXT:    call void @__pagetide_access(ptr %q, i64 4, i32 2)
; CHECK-NEXT:    store i32 %v, ptr %q
; CHECK-NEXT:    call void @__pagetide_access(ptr %p, i64 4, i32 3)
; CHECK-NEXT:    atomicrmw add ptr %p
; WRITE-LABEL: define i32 @one_object(
; WRITE:         load i32
; WRITE-NEXT:    call void @__pagetide_access(ptr %q, i64 4, i32 2)
; WRITE-NEXT:    store
; WRITE-NEXT:    call void @__pagetide_access(ptr %p, i64 4, i32 2)
; WRITE-NEXT:    atomicrmw
  %q = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %p
  store i32 %v, ptr %q
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  %sum = add i32 %old, %v
  ret i32 %sum
}

; NAMED-LABEL: define void @aggregate(
; NAMED-NOT:     __pagetide_access
; NAMED:         store volatile i8 1, ptr addrspace(256)
; NAMED-NOT:     __pagetide_access
; NAMED:         ret void
define void @aggregate(ptr %p, { i8, i64 } %v) {
; CHECK-LABEL: define void @aggregate(
; CHECK-NEXT:    call void @__pagetide_access(ptr %p, i64 1, i32 2)
; CHECK-NEXT:    [[FIELD:%.+]] = getelementptr i8, ptr %p, i64 8
; CHECK-NEXT:    call void @__pagetide_access(ptr [[FIELD]], i64 8, i32 2)
; CHECK-NEXT:    store
  store { i8, i64 } %v, ptr %p
  ret void
}

define <2 x i32> @lanes(ptr %p, <2 x i1> %mask) {
; CHECK-LABEL: define <2 x i32> @lanes(
; CHECK:         [[FIRST:%.+]] = and i64 [[BITS:%.+]], 1{{$}}
; CHECK:         br i1
; CHECK:         call void @__pagetide_access(ptr {{.+}}, i64 4, i32 1)
; CHECK:         [[SECOND:%.+]] = and i64 [[BITS]], 2{{$}}
; CHECK:         br i1
; CHECK:         add i64 {{.+}}, 4
; CHECK:         call void @__pagetide_access(ptr {{.+}}, i64 4, i32 1)
; CHECK:         call <2 x i32> @llvm.masked.load
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}

define void @packed(ptr %p, <4 x i32> %v, <4 x i1> %mask) {
; CHECK-LABEL: define void @packed(
; CHECK:         [[COUNT:%.+]] = call i64 @llvm.ctpop.i64(
; CHECK-NEXT:    [[BYTES:%.+]] = mul i64 [[COUNT]], 4
; CHECK-NEXT:    call void @__pagetide_access(ptr %p, i64 [[BYTES]], i32 2)
; CHECK-NEXT:    call void @llvm.masked.compressstore
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %v, ptr %p, <4 x i1> %mask)
  ret void
}

define void @scattered(<2 x ptr> %p, <2 x i64> %v) {
; CHECK-LABEL: define void @scattered(
; CHECK:         extractelement <2 x ptr> %p, i64 0
; CHECK:         call void @__pagetide_access(ptr {{.+}}, i64 8, i32 2)
; CHECK:         extractelement <2 x ptr> %p, i64 1
; CHECK:         call void @__pagetide_access(ptr {{.+}}, i64 8, i32 2)
; CHECK:         call void @llvm.masked.scatter
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> %p, i32 8, <2 x i1> <i1 true, i1 true>)
  ret void
}

; The runtime's own function replaces a transfer in every mode.
define void @transfer(ptr %to, ptr %from, i64 %n) {
; CHECK-LABEL: define void @transfer(
; CHECK-NEXT:    call ptr @__pagetide_call.memcpy(ptr %to, ptr %from, i64 %n)
; CHECK-NEXT:    ret void
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)
declare void @llvm.masked.scatter.v2i64.v2p0(<2 x i64>, <2 x ptr>, i32, <2 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
