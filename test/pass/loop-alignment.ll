; Loops of a few instructions are aligned in code without marks, so that chance
; does not decide whether a line of the cache cuts them. Marked code, loops that
; the program aligned, longer loops, and code that is to be small stay.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=on-demand>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=on-demand;align-loops=0>,verify' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<mode=always>,verify' -S %s | FileCheck %s --check-prefix=OFF

; OFF-NOT: "llvm.loop.align", i32 32

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @tiny(
; CHECK:         br i1 %done, label %exit, label %body, !llvm.loop [[$TINY:![0-9]+]]
define void @tiny(ptr %p, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at, align 4
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: define void @theirs(
; CHECK:         br i1 %done, label %exit, label %body, !llvm.loop [[$THEIRS:![0-9]+]]
define void @theirs(ptr %p, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at, align 4
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body, !llvm.loop !2
exit:
  ret void
}

; CHECK-LABEL: define void @longer(
; CHECK:         br i1 %done, label %exit, label %body{{$}}
define void @longer(ptr %p, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  %a = load i32, ptr %at, align 4
  %b = mul i32 %a, 3
  %c = xor i32 %b, 7
  %d = sub i32 %c, %a
  %e = lshr i32 %d, 3
  store i32 %e, ptr %at, align 4
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; CHECK-LABEL: define void @small(
; CHECK:         br i1 %done, label %exit, label %body{{$}}
define void @small(ptr %p, i64 %n) optsize {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at, align 4
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; CHECK-LABEL: define internal void @tiny.pagetide(
; CHECK-NOT:     !llvm.loop
; CHECK:         ret void

; CHECK-DAG: [[$TINY]] = distinct !{[[$TINY]], [[$KEPT:![0-9]+]], [[$ALIGN:![0-9]+]]}
; CHECK-DAG: [[$KEPT]] = !{!"llvm.loop.mustprogress"}
; CHECK-DAG: [[$ALIGN]] = !{!"llvm.loop.align", i32 32}
; CHECK-DAG: [[$THEIRS]] = distinct !{[[$THEIRS]], [[$GIVEN:![0-9]+]]}
; CHECK-DAG: [[$GIVEN]] = !{!"llvm.loop.align", i32 16}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.align", i32 16}
