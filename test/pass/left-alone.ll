; What is not marked, and is left as it is.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s 2>%t | FileCheck %s
; RUN: count 0 < %t

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@object = global i32 0

; The program or another pass says so.
define i32 @no_sanitize(ptr %p) {
; CHECK-LABEL: define i32 @no_sanitize(
; CHECK-NEXT:    load i32, ptr %p, align 4, !nosanitize
; CHECK-NEXT:    call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @object, i64 4, i1 false), !nosanitize
; CHECK-NEXT:    ret i32 %v
  %v = load i32, ptr %p, align 4, !nosanitize !0
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @object, i64 4, i1 false), !nosanitize !0
  ret i32 %v
}

define i32 @disabled(ptr %p) disable_sanitizer_instrumentation {
; CHECK-LABEL: define i32 @disabled(
; CHECK-NEXT:    load i32, ptr %p
; CHECK-NEXT:    ret i32 %v
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; A naked function has no place for code of ours.
define void @naked() naked {
; CHECK-LABEL: define void @naked(
; CHECK-NEXT:    call void asm
; CHECK-NEXT:    unreachable
  call void asm sideeffect "retq", "*m"(ptr elementtype(i32) @object)
  unreachable
}

; No code comes of it.
define available_externally i32 @elsewhere(ptr %p) {
; CHECK-LABEL: define available_externally i32 @elsewhere(
; CHECK-NEXT:    load i32, ptr %p
; CHECK-NEXT:    ret i32 %v
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; Part of the runtime.
define void @__pagetide_something(ptr %p) {
; CHECK-LABEL: define void @__pagetide_something(
; CHECK-NEXT:    store i32 0, ptr %p
; CHECK-NEXT:    ret void
  store i32 0, ptr %p, align 4
  ret void
}

; A swifterror value is a register that looks like memory.
define swiftcc i32 @swift_error(ptr swifterror %e) {
; CHECK-LABEL: define swiftcc i32 @swift_error(
; CHECK-NEXT:    store ptr null, ptr %e
; CHECK-NEXT:    ret i32 0
  store ptr null, ptr %e
  ret i32 0
}

define void @undefined(i32 %v) {
; CHECK-LABEL: define void @undefined(
; CHECK-NEXT:    store i32 %v, ptr undef
; CHECK-NEXT:    ret void
  store i32 %v, ptr undef
  ret void
}

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; These name memory and touch none. Not a mark, and not a warning either.
define void @notes(ptr %p) {
; CHECK-LABEL: define void @notes(
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
  %local = alloca i32, align 4
  call void @llvm.lifetime.start.p0(i64 4, ptr %local)
  %a = call ptr @llvm.invariant.start.p0(i64 4, ptr %p)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  %b = call ptr @llvm.launder.invariant.group.p0(ptr %p)
  call void @llvm.var.annotation.p0.p0(ptr %p, ptr @object, ptr @object, i32 1, ptr null)
  %c = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %c)
  call void @llvm.lifetime.end.p0(i64 4, ptr %local)
  fence seq_cst
  ret void
}

; Calls: what they touch, they mark themselves.
define void @calls(ptr %p) {
; CHECK-LABEL: define void @calls(
; CHECK-NEXT:    call void @notes(ptr %p)
; CHECK-NEXT:    ret void
  call void @notes(ptr %p)
  ret void
}

!0 = !{}
