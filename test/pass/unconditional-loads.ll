; A load that is marked is made. Code generation would sink some loads into one
; successor of their block, behind the marks. An empty piece of assembly that
; may write memory stops it, if nothing else does.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: llc -O2 -o - %t.ll | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque(i64)

; Two conditions become two jumps; the load serves the second.
define void @second_condition(ptr %p, i64 %x) {
; CHECK-LABEL: define void @second_condition(
; CHECK:         load i64, ptr %p
; CHECK:         call void asm sideeffect "", "~{memory}"() {{.*}}!nosanitize
; CHECK-NEXT:    br i1 %both
; ASM-LABEL: second_condition:
; ASM:         movb $1, %gs:2147418112(
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         (%rdi)
; ASM:         {{^[[:space:]]}}j
  %v = load i64, ptr %p, align 8
  %first = icmp ugt i64 %x, 41
  %second = icmp eq i64 %v, 7
  %both = select i1 %first, i1 %second, i1 false
  br i1 %both, label %then, label %else
then:
  call void @opaque(i64 %x)
  br label %else
else:
  ret void
}

; A switch becomes a check of its range and a jump through a table; the load is
; used behind both.
define void @cases(ptr %p, i64 %x) {
; CHECK-LABEL: define void @cases(
; CHECK:         load i64, ptr %p
; CHECK:         call void asm sideeffect "", "~{memory}"()
; CHECK-NEXT:    switch i64 %x
; ASM-LABEL: cases:
; ASM:         movb $1, %gs:2147418112(
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         (%rdi)
; ASM:         {{^[[:space:]]}}ja
  %v = load i64, ptr %p, align 8
  switch i64 %x, label %default [
    i64 0, label %zero
    i64 1, label %one
    i64 2, label %two
    i64 3, label %three
  ]
zero:
  call void @opaque(i64 %v)
  ret void
one:
  %one.v = add i64 %v, 1
  call void @opaque(i64 %one.v)
  ret void
two:
  %two.v = add i64 %v, 2
  call void @opaque(i64 %two.v)
  ret void
three:
  %three.v = add i64 %v, 3
  call void @opaque(i64 %three.v)
  ret void
default:
  ret void
}

; The block's end waits for the load.
define i32 @deciding(ptr %p) {
; CHECK-LABEL: define i32 @deciding(
; CHECK-NOT:     asm
; CHECK:         ret i32
  %v = load i32, ptr %p, align 4
  %w = and i32 %v, 8
  %c = icmp eq i32 %w, 0
  br i1 %c, label %then, label %else
then:
  ret i32 0
else:
  ret i32 %v
}

; A store stands between, or a call.
define i32 @held_by_store(ptr %p, ptr %q, i1 %c) {
; CHECK-LABEL: define i32 @held_by_store(
; CHECK-NOT:     asm
; CHECK:         ret i32
  %v = load i32, ptr %p, align 4
  store i32 1, ptr %q, align 4
  br i1 %c, label %then, label %else
then:
  ret i32 0
else:
  ret i32 %v
}

; No way out but one.
define i32 @straight(ptr %p) {
; CHECK-LABEL: define i32 @straight(
; CHECK-NOT:     asm
; CHECK:         ret i32
  %v = load i32, ptr %p, align 4
  br label %next
next:
  ret i32 %v
}

; A conditional move from memory would become a jump around it: the move is from
; a register.
define i32 @choice(ptr %p, ptr %q, i1 %c) {
; CHECK-LABEL: define i32 @choice(
; CHECK:         [[V:%.*]] = load i32, ptr %p
; CHECK-NEXT:    call i32 asm "", "=r,0"(i32 [[V]])
; CHECK:         [[W:%.*]] = load i32, ptr %q
; CHECK-NEXT:    call i32 asm "", "=r,0"(i32 [[W]])
; ASM-LABEL: choice:
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         movl (%rsi)
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         cmov
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         ret
  %v = load i32, ptr %p, align 4
  %w = load i32, ptr %q, align 4
  %r = select i1 %c, i32 %v, i32 %w
  ret i32 %r
}

; Nor where a part of what was loaded is chosen, or something else.
define i32 @choice_of_part(ptr %p, i32 %x, i1 %c) {
; CHECK-LABEL: define i32 @choice_of_part(
; CHECK:         call i64 asm "", "=r,0"(i64
; ASM-LABEL: choice_of_part:
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         cmov
; ASM-NOT:     {{^[[:space:]]}}j
; ASM:         ret
  %v = load i64, ptr %p, align 8
  %part = trunc i64 %v to i32
  %r = select i1 %c, i32 %part, i32 %x
  ret i32 %r
}
