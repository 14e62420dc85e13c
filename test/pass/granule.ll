; The granule is the shift.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<granule=6>,verify' -S %s | FileCheck %s '-D$SHIFT=6'
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<granule=12>,verify' -S %s | FileCheck %s '-D$SHIFT=12'
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<granule=21>,verify' -S %s | FileCheck %s '-D$SHIFT=21'

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @load(ptr %p) {
; CHECK-LABEL: define i32 @load(
; CHECK-NEXT:    [[ADDRESS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[ADDRESS]], [[$SHIFT]]{{$}}
; CHECK-NEXT:    add nuw i64 [[INDEX]], [[INDEX]]
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load i32
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
