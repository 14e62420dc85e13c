; Code that nobody reaches is no more than code natively: a function may be dead by the end of
; the pipeline, and LLVM drops it, whatever stands at its entry.

; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide<layout=write>,globaldce,verify' -S %s | FileCheck %s --implicit-check-not=unreached

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define dso_local void @lives(
define dso_local void @lives(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define linkonce_odr void @unreached(ptr %p) {
  store i32 1, ptr %p
  call void @unreached_too(ptr %p)
  ret void
}

define internal void @unreached_too(ptr %p) noinline {
  store i32 2, ptr %p
  ret void
}
