; Resolvers of ifuncs, and what they call, run before there is a shadow. They go
; unmarked; what others use as well is split in two.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s 2>%t | FileCheck %s
; RUN: count 0 < %t

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@feature = global i32 0

; CHECK: @chosen = ifunc void (), ptr @resolve{{$}}
@chosen = ifunc void (), ptr @resolve
; CHECK: @other = ifunc void (), ptr @exported_resolver.pagetide_unmarked{{$}}
@other = ifunc void (), ptr @exported_resolver

define internal ptr @resolve() {
; CHECK-LABEL: define internal ptr @resolve(
; CHECK-NEXT:    %only = call i32 @only_resolvers()
; CHECK-NEXT:    %shared = call i32 @shared.pagetide_unmarked()
; CHECK-NEXT:    call i32 @elsewhere()
; CHECK-NEXT:    ret ptr @implementation
  %only = call i32 @only_resolvers()
  %shared = call i32 @shared()
  %extern = call i32 @elsewhere()
  ret ptr @implementation
}

define internal i32 @only_resolvers() {
; CHECK-LABEL: define internal i32 @only_resolvers(
; CHECK-NEXT:    load i32, ptr @feature
; CHECK-NEXT:    ret
  %v = load i32, ptr @feature, align 4
  ret i32 %v
}

; The original keeps its marks, and calls what has marks.
define internal i32 @shared() {
; CHECK-LABEL: define internal i32 @shared(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32, ptr @feature
; CHECK-NEXT:    call i32 @below_shared()
  %v = load i32, ptr @feature, align 4
  %w = call i32 @below_shared()
  %r = add i32 %v, %w
  ret i32 %r
}

; Called by a function that is split, and so split itself.
define internal i32 @below_shared() {
; CHECK-LABEL: define internal i32 @below_shared(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32, ptr @feature
  %v = load i32, ptr @feature, align 4
  ret i32 %v
}

; What a resolver returns it does not run.
define internal void @implementation() {
; CHECK-LABEL: define internal void @implementation(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 1, ptr @feature
  store i32 1, ptr @feature, align 4
  ret void
}

define void @user() {
; CHECK-LABEL: define void @user(
; CHECK-NEXT:    call i32 @shared()
; CHECK-NEXT:    call void @chosen()
; CHECK-NEXT:    call void @other()
  %v = call i32 @shared()
  call void @chosen()
  call void @other()
  ret void
}

; Another module may call it: as an ordinary function it has its marks.
define ptr @exported_resolver() {
; CHECK-LABEL: define ptr @exported_resolver(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 1, ptr @feature
  store i32 1, ptr @feature, align 4
  ret ptr @implementation
}

declare i32 @elsewhere()

; CHECK-LABEL: define internal ptr @exported_resolver.pagetide_unmarked(
; CHECK-NEXT:    store i32 1, ptr @feature
; CHECK-NEXT:    ret

; CHECK-LABEL: define internal i32 @shared.pagetide_unmarked(
; CHECK-NEXT:    load i32, ptr @feature
; CHECK-NEXT:    call i32 @below_shared.pagetide_unmarked()

; CHECK-LABEL: define internal i32 @below_shared.pagetide_unmarked(
; CHECK-NEXT:    load i32, ptr @feature
; CHECK-NEXT:    ret
