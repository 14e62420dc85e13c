; A mark that every way to an access has made, with neither a call nor a loop
; since, is not made again.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;marked-paths=0>,verify' -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque()

define i32 @below(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @below(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32 %a
; OFF-LABEL: define i32 @below(
; OFF-COUNT-2: store volatile i8 1, ptr addrspace(256)
; OFF-NOT:     addrspace(256)
; OFF:         ret i32 %a
  %a = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
else:
  ret i32 %a
}

; From both sides: only what both have.
define i32 @join(ptr %p, ptr %q, i1 %c) {
; CHECK-LABEL: define i32 @join(
; CHECK:       both:
; CHECK-NEXT:    load i32, ptr %p
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %q
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr %p, align 4
  store i32 1, ptr %q, align 4
  br label %both
right:
  store i32 2, ptr %p, align 4
  br label %both
both:
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr %q, align 4
  %r = add i32 %a, %b
  ret i32 %r
}

; Of an object that may straddle, only the end that is new.
define i32 @next_field(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @next_field(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK:       then:
; CHECK:         [[BITS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    add i64 [[BITS]], 107
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
  %a = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  %field = getelementptr i8, ptr %p, i64 104
  %b = load i32, ptr %field, align 4
  %r = add i32 %a, %b
  ret i32 %r
else:
  ret i32 %a
}

; Where alignment shows that both lie in one granule, none.
define i32 @aligned_object(ptr align 128 %p, i1 %c) {
; CHECK-LABEL: define i32 @aligned_object(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32 %a
  %a = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  %field = getelementptr i8, ptr %p, i64 104
  %b = load i32, ptr %field, align 4
  %r = add i32 %a, %b
  ret i32 %r
else:
  ret i32 %a
}

define i32 @behind_call(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @behind_call(
; CHECK:       then:
; CHECK-NEXT:    call void @opaque
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    %b = load i32
  %a = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  call void @opaque()
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
else:
  ret i32 %a
}

; Neither into a loop nor through one.
define void @around_loop(ptr %p, i1 %c) {
; CHECK-LABEL: define void @around_loop(
; CHECK:       loop:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    %v = load i32
; CHECK:       exit:
; CHECK-NEXT:    store i32 %v, ptr %p
entry:
  store i32 1, ptr %p, align 4
  br label %loop
loop:
  %v = load i32, ptr %p, align 4
  %again = icmp eq i32 %v, 0
  br i1 %again, label %loop, label %exit
exit:
  store i32 %v, ptr %p, align 4
  ret void
}

define void @through_loop(ptr %p, ptr %q) {
; CHECK-LABEL: define void @through_loop(
; CHECK:       exit:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 %v, ptr %p
entry:
  store i32 1, ptr %p, align 4
  br label %loop
loop:
  %v = load i32, ptr %q, align 4
  %again = icmp eq i32 %v, 0
  br i1 %again, label %loop, label %exit
exit:
  store i32 %v, ptr %p, align 4
  ret void
}
