; A load from a table of relative addresses is marked where it reads: four bytes at
; the offset, not at the table's beginning.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s 2>&1 | FileCheck %s --implicit-check-not=warning
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s 2>&1 | FileCheck %s --check-prefix=WRITE --implicit-check-not=warning

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; As clang makes a virtual call with -fexperimental-relative-c++-abi-vtables.
define i32 @virtual(ptr %table) {
; CHECK-LABEL: define i32 @virtual(
; CHECK-NEXT:    [[PLACE:%.+]] = getelementptr i8, ptr %table, i32 4
; CHECK-NEXT:    [[TABLE:%.+]] = ptrtoint ptr %table to i64
; CHECK-NEXT:    [[ADDRESS:%.+]] = add i64 [[TABLE]], 4
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[ADDRESS]], 12
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[DISTANCE:%.+]] = load i32, ptr [[PLACE]], align 4
; CHECK-NEXT:    [[FUNCTION:%.+]] = getelementptr i8, ptr %table, i32 [[DISTANCE]]
; CHECK-NEXT:    call i32 [[FUNCTION]]()
; WRITE-LABEL: define i32 @virtual(
; WRITE-NOT:     addrspace(256)
; WRITE:         load i32
  %function = call ptr @llvm.load.relative.i32(ptr %table, i32 4)
  %v = call i32 %function()
  ret i32 %v
}

; Code generation drops a load that nobody uses.
define void @unused(ptr %table, i64 %offset) {
; CHECK-LABEL: define void @unused(
; CHECK-NEXT:    ret void
  %function = call ptr @llvm.load.relative.i64(ptr %table, i64 %offset)
  ret void
}

; The table of names that a switch became, at -O0 too.
define ptr @name(i64 %offset) noinline optnone {
; CHECK-LABEL: define ptr @name(
; CHECK:         getelementptr i8, ptr @names, i64 %offset
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32
; CHECK-NEXT:    getelementptr i8, ptr @names, i32
  %text = call ptr @llvm.load.relative.i64(ptr @names, i64 %offset)
  ret ptr %text
}

@names = private constant [2 x i32] zeroinitializer, align 4

declare ptr @llvm.load.relative.i32(ptr, i32)
declare ptr @llvm.load.relative.i64(ptr, i64)
