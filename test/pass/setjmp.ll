; No interceptor can stand before setjmp: the pass marks the buffer, to the word.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' \
; RUN:   -pagetide-layout=write -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @_setjmp(ptr) returns_twice
declare i32 @__sigsetjmp(ptr, i32) returns_twice
declare i32 @other(ptr) returns_twice

define i32 @plain(ptr %b) {
; CHECK-LABEL: define i32 @plain(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         call i32 @_setjmp(
  %r = call i32 @_setjmp(ptr %b) returns_twice
  ret i32 %r
}

define i32 @elsewhere(ptr %b) {
; CHECK-LABEL: define i32 @elsewhere(
; CHECK-NOT:     addrspace(256)
; CHECK:         call i32 @other(
  %r = call i32 @other(ptr %b) returns_twice
  ret i32 %r
}
