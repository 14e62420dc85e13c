; A function with marks writes memory, and its callers must not believe
; otherwise any longer.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK:     define i32 @pure(ptr %p) [[$PURE:#[0-9]+]]
define i32 @pure(ptr %p) memory(argmem: read) nosync nounwind speculatable {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; CHECK:     define i32 @no_access(i32 %x) [[$NO_ACCESS:#[0-9]+]]
define i32 @no_access(i32 %x) memory(none) nosync nounwind {
  ret i32 %x
}

define i32 @caller(ptr %p) {
; CHECK-LABEL: define i32 @caller(
; CHECK:         call i32 @pure(ptr %p) [[$CALL:#[0-9]+]]
  %v = call i32 @pure(ptr %p) memory(argmem: read) nosync willreturn
  ret i32 %v
}

; CHECK-DAG: attributes [[$PURE]] = { nounwind "pagetide"="marked" }
; CHECK-DAG: attributes [[$NO_ACCESS]] = { nosync nounwind memory(none) "pagetide"="marked" }
; CHECK-DAG: attributes [[$CALL]] = { willreturn }
