; Nothing may come between a musttail call and its return; marks come before the
; call.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>' %s | llc -O2 -o /dev/null

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i64, i64 }

declare i32 @callee(ptr, ptr)
declare i32 @byval_callee(ptr byval(%pair))

define i32 @after_access(ptr %p, ptr %q) {
; CHECK-LABEL: define i32 @after_access(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 0, ptr %p
; CHECK-NEXT:    %r = musttail call i32 @callee(ptr %p, ptr %q)
; CHECK-NEXT:    ret i32 %r
  store i32 0, ptr %p, align 4
  %r = musttail call i32 @callee(ptr %p, ptr %q)
  ret i32 %r
}

define i32 @by_value(ptr byval(%pair) %p) {
; CHECK-LABEL: define i32 @by_value(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    %r = musttail call i32 @byval_callee(
; CHECK-NEXT:    ret i32 %r
  %r = musttail call i32 @byval_callee(ptr byval(%pair) %p)
  ret i32 %r
}
