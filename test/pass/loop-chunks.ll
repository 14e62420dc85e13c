; A loop that steps through memory is marked a chunk of iterations at a time: by
; the first byte of the chunk's first iteration and the last byte of its last.
; If that would not be exact, or too late, loops keep the marks in their body.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw;chunks=0>,verify' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque()

define void @upward(ptr %p, i64 %n) {
; CHECK-LABEL: define void @upward(
; NEAR-LABEL: define void @upward(
; NEAR:        chunk:
; NEAR:          [[LAST:%.+]] = call i64 @llvm.umin.i64(i64 {{%.+}}, i64 511)
; NEAR:          [[START:%.+]] = getelementptr i64, ptr %p, i64
; NEAR-NEXT:     [[BYTES:%.+]] = mul i64 [[LAST]], 8
; NEAR-NEXT:     [[END:%.+]] = getelementptr i8, ptr [[START]], i64 [[BYTES]]
; NEAR-NEXT:     [[STARTBITS:%.+]] = ptrtoint ptr [[START]] to i64
; NEAR-NEXT:     lshr i64 [[STARTBITS]], 9
; NEAR:          store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     [[ENDBITS:%.+]] = ptrtoint ptr [[END]] to i64
; NEAR-NEXT:     [[LASTBYTE:%.+]] = add i64 [[ENDBITS]], 7
; NEAR-NEXT:     lshr i64 [[LASTBYTE]], 9
; NEAR:          store volatile i8 1, ptr addrspace(256)
; NEAR-NEXT:     br label %body
; NEAR:        body:
; NEAR-NOT:      addrspace(256)
; NEAR:        chunk.end:
; CHECK:       chunk:
; CHECK:         [[FIRST:%.+]] = phi i64 [ 0, %entry ], [ %next, %chunk.end ]
; CHECK:         [[LEFT:%.+]] = phi i64 [ [[BACKEDGES:%.+]], %entry ], [ [[REST:%.+]], %chunk.end ]
; CHECK-NEXT:    [[LAST:%.+]] = call i64 @llvm.umin.i64(i64 [[LEFT]], i64 511)
; CHECK-NEXT:    [[COUNT:%.+]] = add nuw i64 [[LAST]], 1
; CHECK-NEXT:    [[START:%.+]] = getelementptr i64, ptr %p, i64 [[FIRST]]
; CHECK-NEXT:    [[BYTES:%.+]] = mul i64 [[LAST]], 8
; CHECK-NEXT:    [[END:%.+]] = getelementptr i8, ptr [[START]], i64 [[BYTES]]
; CHECK-NEXT:    ptrtoint ptr [[START]] to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[ENDBITS:%.+]] = ptrtoint ptr [[END]] to i64
; CHECK-NEXT:    add i64 [[ENDBITS]], 7
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %body
; CHECK:       body:
; CHECK:         [[TODO:%.+]] = phi i64 [ [[COUNT]], %chunk ], [ [[DONE:%.+]], %body ]
; CHECK-NOT:     addrspace(256)
; CHECK:         [[DONE]] = sub nuw i64 [[TODO]], 1
; CHECK-NEXT:    [[STOP:%.+]] = icmp eq i64 [[DONE]], 0
; CHECK-NEXT:    br i1 [[STOP]], label %chunk.end, label %body
; CHECK:       chunk.end:
; CHECK-NEXT:    [[WASLAST:%.+]] = icmp eq i64 [[LEFT]], [[LAST]]
; CHECK-NEXT:    [[REST]] = sub i64 [[LEFT]], [[COUNT]]
; CHECK-NEXT:    br i1 [[WASLAST]], label %exit, label %chunk
; OFF-LABEL: define void @upward(
; OFF-NOT:     chunk
; OFF:       body:
; OFF:         addrspace(256)
; OFF:         store i64
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Downwards the last iteration's first byte is the lowest. A value that leaves
; the loop is still its last.
define i64 @downward(ptr %p, i64 %n) {
; CHECK-LABEL: define i64 @downward(
; CHECK:       chunk:
; CHECK:         [[LAST:%.+]] = call i64 @llvm.umin.i64(i64 {{%.+}}, i64 511)
; CHECK:         [[START:%.+]] = getelementptr i64, ptr %p, i64
; CHECK-NEXT:    [[BYTES:%.+]] = mul i64 [[LAST]], -8
; CHECK-NEXT:    [[END:%.+]] = getelementptr i8, ptr [[START]], i64 [[BYTES]]
; CHECK-NEXT:    [[LOW:%.+]] = ptrtoint ptr [[END]] to i64
; CHECK-NEXT:    lshr i64 [[LOW]], 12
; CHECK:         [[HIGH:%.+]] = ptrtoint ptr [[START]] to i64
; CHECK-NEXT:    add i64 [[HIGH]], 7
; CHECK:       body:
; CHECK-NOT:     addrspace(256)
; CHECK:       exit:
; CHECK-NEXT:    %result = phi i64 [ %v, %chunk.end ]
entry:
  br label %body
body:
  %i = phi i64 [ %n, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %at, align 8
  %next = add nsw i64 %i, -1
  %done = icmp eq i64 %next, 0
  br i1 %done, label %exit, label %body
exit:
  %result = phi i64 [ %v, %body ]
  ret i64 %result
}

; Not more iterations than a chunk: marked before the loop, which stays.
define void @one_chunk(ptr %p) {
; CHECK-LABEL: define void @one_chunk(
; CHECK:       entry:
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %body
; CHECK:       body:
; CHECK-NOT:     chunk
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Neighbours are one stream, which reaches further each iteration: shorter
; chunks. What is read and what is written are two. What stays is marked once.
define void @streams(ptr %to, ptr %from, ptr %factor, i64 %n) {
; CHECK-LABEL: define void @streams(
; CHECK:       chunk:
; CHECK:         call i64 @llvm.umin.i64(i64 {{%.+}}, i64 509)
; CHECK-COUNT-6: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %a = getelementptr double, ptr %from, i64 %i
  %b = getelementptr i8, ptr %a, i64 16
  %x = load double, ptr %a, align 8
  %y = load double, ptr %b, align 8
  %f = load double, ptr %factor, align 8
  %s = fadd double %x, %y
  %t = fmul double %s, %f
  %c = getelementptr double, ptr %to, i64 %i
  store double %t, ptr %c, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; What only some iterations touch is marked there; what all touch, by chunks.
define void @sometimes(ptr %p, ptr %when, i64 %n) {
; CHECK-LABEL: define void @sometimes(
; CHECK:       chunk:
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:       then:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i8 1, ptr %at
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %w = getelementptr i8, ptr %when, i64 %i
  %c = load i8, ptr %w, align 1
  %at = getelementptr i8, ptr %p, i64 %i
  %yes = icmp ne i8 %c, 0
  br i1 %yes, label %then, label %latch
then:
  store i8 1, ptr %at, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; A way out in the middle: the last iteration of a chunk may not come, so a chunk
; stays within the granule that its first iteration touches (held-marks.ll).
define void @early_exit(ptr %p, i64 %n) {
; CHECK-LABEL: define void @early_exit(
; CHECK:       chunk:
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr i8, ptr %p, i64 %i
  %v = load i8, ptr %at, align 1
  %stop = icmp eq i8 %v, 7
  br i1 %stop, label %exit, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; A call may take any time, and may not come back.
define void @call_inside(ptr %p, i64 %n) {
; CHECK-LABEL: define void @call_inside(
; CHECK-NOT:     chunk
; CHECK:       body:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store i64
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %at, align 8
  call void @opaque()
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; No trip count is known beforehand: to count costs what the mark would.
define void @data_dependent(ptr %p) {
; CHECK-LABEL: define void @data_dependent(
; CHECK-NOT:     chunk
; CHECK:       body:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i8
entry:
  br label %body
body:
  %at = phi ptr [ %p, %entry ], [ %next, %body ]
  %v = load i8, ptr %at, align 1
  %next = getelementptr i8, ptr %at, i64 1
  %done = icmp eq i8 %v, 0
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Steps so long that a chunk would be short.
define void @long_steps(ptr %p, i64 %n) {
; CHECK-LABEL: define void @long_steps(
; CHECK-NOT:     chunk
; CHECK:       body:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store i8
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr [1024 x i8], ptr %p, i64 %i
  store i8 1, ptr %at, align 1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Three iterations are not worth it.
define void @few(ptr %p) {
; CHECK-LABEL: define void @few(
; CHECK-NOT:     chunk
; CHECK:       body:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store i64
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 3
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Addresses that are loaded are not known beforehand; those they are loaded from
; are. Each may be a page fault, which chunks must not have too many of.
define void @gather(ptr %to, ptr %index, i64 %n) {
; CHECK-LABEL: define void @gather(
; CHECK:       chunk:
; CHECK:         call i64 @llvm.umin.i64(i64 {{%.+}}, i64 127)
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:       body:
; CHECK:         load i64, ptr %from
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i8 1, ptr %at
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr i64, ptr %index, i64 %i
  %j = load i64, ptr %from, align 8
  %at = getelementptr i8, ptr %to, i64 %j
  store i8 1, ptr %at, align 1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Only part of the bits is replaced: without a mark in between, code generation
; makes one narrow store of the two, which reads nothing.
define void @partial_update(ptr %p, i64 %n) {
; CHECK-LABEL: define void @partial_update(
; CHECK:       body:
; CHECK:         load i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %at, align 4
  %rest = and i32 %v, -256
  %new = or i32 %rest, 17
  store i32 %new, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Without optimisation nothing is moved.
define void @unoptimized(ptr %p, i64 %n) noinline optnone {
; CHECK-LABEL: define void @unoptimized(
; CHECK-NOT:     chunk
; CHECK:       body:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store i64
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; The block behind the loop is reached past it too, and the one before it goes
; elsewhere as well: the optimiser merges what it can. Both get blocks between.
define void @shared_blocks(ptr %p, i64 %n) {
; CHECK-LABEL: define void @shared_blocks(
; CHECK:       chunk:
; CHECK:         store volatile i8 1
; CHECK:       chunk.end:
; OFF-LABEL: define void @shared_blocks(
; OFF-NOT:     chunk:
; OFF:         ret void
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 4
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop

done:
  ret void
}

; Only an address that stays: what there is to gain is a store an iteration.
define void @stays(ptr %p, ptr %chain, i64 %n) {
; CHECK-LABEL: define void @stays(
; CHECK-NOT:   chunk:
; CHECK:         ret void
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = phi ptr [ %chain, %entry ], [ %after, %loop ]
  %sum = load i64, ptr %p, align 8
  %more = add i64 %sum, %i
  store i64 %more, ptr %p, align 8
  %after = load ptr, ptr %at, align 8
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop

done:
  ret void
}

; Unrolled: a quarter of the iterations. If each has marks of its own anyway,
; chunks would save little.
define i64 @unrolled_gather(ptr %p, ptr %q, i64 %n) {
; CHECK-LABEL: define i64 @unrolled_gather(
; CHECK-NOT:   chunk:
; CHECK:         ret i64
entry:
  %quarter = lshr i64 %n, 2
  %none = icmp eq i64 %quarter, 0
  br i1 %none, label %done, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %first = shl i64 %i, 2
  %a0 = getelementptr i64, ptr %p, i64 %first
  %x0 = load i64, ptr %a0, align 8
  %b0 = getelementptr i64, ptr %q, i64 %x0
  %y0 = load i64, ptr %b0, align 8
  %more = add i64 %sum, %y0
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %quarter
  br i1 %end, label %done, label %loop

done:
  %result = phi i64 [ 0, %entry ], [ %more, %loop ]
  ret i64 %result
}

define void @unrolled(ptr %p, i64 %n) {
; CHECK-LABEL: define void @unrolled(
; CHECK:       chunk:
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
entry:
  %quarter = lshr i64 %n, 2
  %none = icmp eq i64 %quarter, 0
  br i1 %none, label %done, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %first = shl i64 %i, 2
  %a0 = getelementptr i64, ptr %p, i64 %first
  store i64 0, ptr %a0, align 8
  %second = or disjoint i64 %first, 1
  %a1 = getelementptr i64, ptr %p, i64 %second
  store i64 1, ptr %a1, align 8
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %quarter
  br i1 %end, label %done, label %loop

done:
  ret void
}

; Vectorised: such loops are long enough to have been.
define void @vectorised(ptr %p, i64 %n) {
; CHECK-LABEL: define void @vectorised(
; CHECK:       chunk:
; CHECK:         ret void
entry:
  %quarter = lshr i64 %n, 2
  %none = icmp eq i64 %quarter, 0
  br i1 %none, label %done, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %first = shl i64 %i, 2
  %a0 = getelementptr i64, ptr %p, i64 %first
  store <4 x i64> zeroinitializer, ptr %a0, align 8
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %quarter
  br i1 %end, label %done, label %loop, !llvm.loop !0

done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.isvectorized", i32 1}
