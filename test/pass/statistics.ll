; Option -stats: what the pass counted. Debian's LLVM prints none of its own.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=always;frames=1>' -stats -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=always>' -disable-output %s 2>&1 | count 0
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=always;marks=calls>' -stats -disable-output %s 2>&1 | FileCheck %s --check-prefix=CALLS

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: Statistics Collected
; CHECK-DAG: 9 pagetide - Accesses that are marked
; CHECK-DAG: 1 pagetide - Copies and memsets left to the runtime
; CHECK-DAG: 7 pagetide - Functions that got marks
; CHECK-DAG: 4 pagetide - Groups of accesses that share marks
; CHECK-DAG: 1 pagetide - Instructions marked with chunks of loops
; CHECK-DAG: 1 pagetide - Loops marked a chunk at a time
; CHECK-DAG: 1 pagetide - Loops that keep their marks
; CHECK-DAG: 5 pagetide - Marks made in place{{$}}
; CHECK-DAG: 2 pagetide - Marks made in place that are near marks
; CHECK-DAG: 1 pagetide - Marks made in place of a read and a write
; CHECK-DAG: 1 pagetide - Accesses marked by lanes or by a length
; CHECK-DAG: 1 pagetide - Return addresses that are marked
; CHECK-DAG: 1 pagetide - Calls of libc that call the runtime
; CHECK-NOT: by a call of the runtime

; Without inline marks every access is a call, except those of the copy.
; CALLS-NOT: Marks made in place
; CALLS: 7 pagetide - Accesses marked by a call of the runtime
; CALLS-NOT: Marks made in place

define void @fields(ptr %p) {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 28
  store i32 2, ptr %q
  ret void
}

define void @update(ptr %p) {
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  ret void
}

define void @fill(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define i64 @find(ptr %p, i64 %what, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %q, align 4 ; perhaps in two granules
  %found = icmp eq i64 %v, %what
  br i1 %found, label %exit, label %latch
latch:
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %i
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @copy(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
define <4 x i32> @lanes(ptr %p, <4 x i1> %mask) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %mask, <4 x i32> undef)
  ret <4 x i32> %v
}

declare i64 @strlen(ptr)
define i64 @length(ptr %p) {
  %n = call i64 @strlen(ptr %p)
  %twice = add i64 %n, %n
  ret i64 %twice
}
