; What is tested before a loop says how few iterations it has: it is what an
; unrolled loop leaves over, for example. Such a loop is one chunk. If all that it
; touches is within a near mark's reach, one mark per array serves it.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefix=EXACT

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Three iterations at most. With precision exact, marks of both ends would cost as
; much as those in the loop.
define void @three(ptr %to, ptr %from, i64 %n) {
; CHECK-LABEL: define void @three(
; CHECK:       before:
; CHECK-COUNT-2: store volatile i8 4, ptr addrspace(256)
; CHECK:       loop:
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
; EXACT-LABEL: define void @three(
; EXACT:       loop:
; EXACT:         store volatile i8 1, ptr addrspace(256)
; EXACT:         load i32
; EXACT:         store volatile i8 1, ptr addrspace(256)
; EXACT:         store i32
; EXACT:         ret void
entry:
  %trips = and i64 %n, 3
  %none = icmp eq i64 %trips, 0
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %f = getelementptr i32, ptr %from, i64 %i
  %a = load i32, ptr %f, align 4
  %t = getelementptr i32, ptr %to, i64 %i
  store i32 %a, ptr %t, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %trips
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Seven, downwards: the mark is at the last iteration's address, which is lowest.
define void @seven_down(ptr %p, i64 %n) {
; CHECK-LABEL: define void @seven_down(
; CHECK:       before:
; CHECK:         [[BYTES:%.+]] = mul i64 %{{.+}}, -8
; CHECK:         [[LOWEST:%.+]] = getelementptr i8, ptr {{%.+}}, i64 [[BYTES]]
; CHECK:         ptrtoint ptr [[LOWEST]] to i64
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
; EXACT-LABEL: define void @seven_down(
; EXACT-NOT:   chunk
; EXACT:       before:
; EXACT-COUNT-2: store volatile i8 1, ptr addrspace(256)
; EXACT-NOT:     addrspace(256)
; EXACT:         ret void
entry:
  %trips = and i64 %n, 7
  %none = icmp eq i64 %trips, 0
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %left = phi i64 [ %trips, %before ], [ %next, %loop ]
  %at = getelementptr i64, ptr %p, i64 %left
  store i64 0, ptr %at, align 8
  %next = add nsw i64 %left, -1
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop
end:
  ret void
}

; 63 iterations touch 504 bytes, beyond a near mark's reach: both ends are marked.
define void @many(ptr %p, i64 %n) {
; CHECK-LABEL: define void @many(
; CHECK-NOT:   chunk
; CHECK:       before:
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
entry:
  %trips = and i64 %n, 63
  %none = icmp eq i64 %trips, 0
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 0, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %trips
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Three iterations that are far apart, in up to three granules: they keep their
; marks.
define void @far_apart(ptr %p, i64 %n) {
; CHECK-LABEL: define void @far_apart(
; CHECK:       loop:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i64 0
; CHECK:         ret void
entry:
  %trips = and i64 %n, 3
  %none = icmp eq i64 %trips, 0
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %at = getelementptr [128 x i64], ptr %p, i64 %i
  store i64 0, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %trips
  br i1 %done, label %end, label %loop
end:
  ret void
}
