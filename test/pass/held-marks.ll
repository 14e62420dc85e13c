; An access that not every iteration makes shares the place of its mark with the
; other iterations of a chunk, whose addresses are in one granule. If the first
; iteration makes it for certain, it shares the mark itself. So a loop that may
; end early claims nothing that it does not touch.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The first iteration reads: one mark, and no other page within the chunk.
define i64 @find(ptr %p, i64 %n, i32 %x) {
; CHECK-LABEL: define i64 @find(
; CHECK:       chunk:
; CHECK:         [[MOST:%.+]] = call i64 @llvm.umin.i64(i64 %backedges.left, i64 511)
; CHECK:         [[AT:%.+]] = freeze ptr
; CHECK:         [[BITS:%.+]] = ptrtoint ptr [[AT]] to i64
; CHECK:         [[BEHIND:%.+]] = xor i64 {{%.+}}, -1
; CHECK:         [[BYTES:%.+]] = and i64 [[BEHIND]], 4095
; CHECK:         [[MORE:%.+]] = udiv i64 [[BYTES]], 4
; CHECK:         [[LAST:%.+]] = call i64 @llvm.umin.i64(i64 [[MOST]], i64 [[MORE]])
; CHECK:         add nuw i64 [[LAST]], 1
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:       body:
; CHECK:         br i1 %found, label %{{.*}}, label %latch
; CHECK:       chunk.end:
; CHECK:         icmp eq i64 %backedges.left, [[LAST]]
; CHECK:         ret i64
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %at, align 4
  %found = icmp eq i32 %v, %x
  br i1 %found, label %exit, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  %result = phi i64 [ %i, %body ], [ -1, %latch ]
  ret i64 %result
}

; The mark of a write under a condition is one store; where it goes is known.
; What every iteration reads at that address has one mark per chunk.
define void @clamp(ptr %p, i64 %n, i32 %most) {
; CHECK-LABEL: define void @clamp(
; CHECK:       chunk:
; CHECK:         [[AT:%.+]] = freeze ptr
; CHECK:         [[INDEX:%.+]] = lshr i64 {{%.+}}, 9
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %body
; CHECK:       body:
; CHECK-NOT:     addrspace(256)
; CHECK:       write:
; CHECK-NEXT:    shl nuw i64 [[INDEX]], 2
; CHECK-NOT:     lshr
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 %most, ptr %at
; CHECK:         ret void
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %at, align 4
  %above = icmp sgt i32 %v, %most
  br i1 %above, label %write, label %latch
write:
  store i32 %most, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; No trip count is known. Downwards, a chunk ends at the granule's beginning.
define void @copy_back(ptr %to, ptr %from) {
; CHECK-LABEL: define void @copy_back(
; CHECK:       chunk:
; CHECK:         umin.i64(i64 511,
; CHECK:         and i64 {{%.+}}, 4095
; CHECK:         umin
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:       body:
; CHECK-NOT:     addrspace(256)
; CHECK:         br i1 %done, label %{{.*}}, label %chunk.count
; CHECK:       chunk.count:
; CHECK:         br i1 {{%.+}}, label %chunk.end, label %body
; CHECK:       chunk.end:
; CHECK-NEXT:    br label %chunk
; CHECK:         ret void
entry:
  br label %body
body:
  %t = phi ptr [ %to, %entry ], [ %tn, %body ]
  %f = phi ptr [ %from, %entry ], [ %fn, %body ]
  %v = load i64, ptr %f, align 8
  store i64 %v, ptr %t, align 8
  %tn = getelementptr i64, ptr %t, i64 -1
  %fn = getelementptr i64, ptr %f, i64 -1
  %done = icmp eq i64 %v, 0
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; It may be in two granules: no mark can be held ready.
define void @unaligned(ptr %p, i64 %n, i32 %most) {
; CHECK-LABEL: define void @unaligned(
; CHECK:       write:
; CHECK:         lshr i64
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NEXT:    store i32 %most, ptr %at, align 1
; CHECK:         ret void
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %at, align 1
  %above = icmp sgt i32 %v, %most
  br i1 %above, label %write, label %latch
write:
  store i32 %most, ptr %at, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}
