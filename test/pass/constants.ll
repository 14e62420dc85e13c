; Loads of constants are marked unless skip-constants says otherwise, which the
; module's note repeats.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefixes=CHECK,MARK
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<skip-constants>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,SKIP

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; MARK: @pagetide.record = {{.*}} { i32 6, i32 0, i32 12, i32 12, i32 0 }, i32 0 }
; SKIP: @pagetide.record = {{.*}} { i32 6, i32 0, i32 12, i32 12, i32 1 }, i32 0 }

@table = constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8]
@other = internal constant [8 x i32] [i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1]
@variable = global [8 x i32] zeroinitializer

define i32 @load(i64 %i) {
; CHECK-LABEL: define i32 @load(
; CHECK-NEXT:    %p = getelementptr
; MARK:          store volatile i8 1, ptr addrspace(256)
; SKIP-NEXT:     load i32, ptr %p
  %p = getelementptr [8 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i32 @either_constant(i1 %c) {
; CHECK-LABEL: define i32 @either_constant(
; MARK:          store volatile i8 1, ptr addrspace(256)
; SKIP-NEXT:     %p = select
; SKIP-NEXT:     load i32, ptr %p
  %p = select i1 %c, ptr @table, ptr @other
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i32 @perhaps_constant(i1 %c) {
; CHECK-LABEL: define i32 @perhaps_constant(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32
  %p = select i1 %c, ptr @table, ptr @variable
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
