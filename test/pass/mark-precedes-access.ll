; In the machine code each mark still precedes its access: for memory that is
; known to be constant too, whose loads code generation orders with nothing.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: llc -O2 -o - %t.ll | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@table = external constant [0 x i32]
@scalar = external hidden constant i32, align 4

declare void @opaque()

define i32 @constant_after_call(i64 %i) {
; CHECK-LABEL: define i32 @constant_after_call(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[POINTER:%.+]] = inttoptr i64 [[BITS]] to ptr
; CHECK-NEXT:    load i32, ptr [[POINTER]]
; ASM-LABEL: constant_after_call:
; ASM:         callq opaque
; ASM:         shrq $12, %[[INDEX:r.+]]
; ASM-NEXT:    movb $1, %gs:2147418112(%[[INDEX]])
; ASM-NEXT:    movl (%{{r.+}},%{{r.+}},4), %eax
  call void @opaque()
  %p = getelementptr [0 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; Nor is it delayed or repeated if that is cheaper than keeping its value.
define i32 @constant_before_call() {
; ASM-LABEL: constant_before_call:
; ASM:         movb $1, %gs:2147418112(
; ASM-NEXT:    movl scalar(%rip), %[[VALUE:e.+]]
; ASM-NEXT:    movl %[[VALUE]], {{.*}}Spill
; ASM:         #APP
; ASM-NOT:     scalar
; ASM:         retq
  %v = load i32, ptr @scalar, align 4
  call void asm sideeffect "", "~{rax},~{rbx},~{rcx},~{rdx},~{rsi},~{rdi},~{rbp},~{r8},~{r9},~{r10},~{r11},~{r12},~{r13},~{r14},~{r15},~{memory}"()
  %w = add i32 %v, 1
  ret i32 %w
}

; Told to be invariant and dereferenceable, the load could leave the loop.
define void @invariant_in_loop(ptr align 4 dereferenceable(4) %p, i64 %n) {
; CHECK-LABEL: define void @invariant_in_loop(
; CHECK-NOT:     !invariant.load
; ASM-LABEL: invariant_in_loop:
; ASM:         callq opaque
; ASM:         movb $1, %gs:2147418112(
; ASM-NEXT:    movl (%{{r.+}}), %edi
; ASM-NEXT:    callq take
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @opaque()
  %v = load i32, ptr %p, align 4, !invariant.load !0
  call void @take(i32 %v)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

declare void @take(i32)

; An argument that is noalias and only read is not a constant, but no store can
; change it.
define i32 @restricted(ptr noalias readonly %p) {
; ASM-LABEL: restricted:
; ASM:         callq opaque
; ASM:         movb $1, %gs:2147418112(
; ASM-NEXT:    movl (%{{r.+}}), %eax
  call void @opaque()
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; What nothing is known of keeps its pointer.
define i32 @plain(ptr %p) {
; CHECK-LABEL: define i32 @plain(
; CHECK:         load i32, ptr %p
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; Type-based alias analysis may know as well.
define i32 @constant_type(ptr %p) {
; CHECK-LABEL: define i32 @constant_type(
; CHECK:         load i32, ptr {{%.+}}, align 4{{$}}
  %v = load i32, ptr %p, align 4, !tbaa !1
  ret i32 %v
}

define void @stores(ptr noalias %p, ptr noalias %q) {
; ASM-LABEL: stores:
; ASM:         movb $1, %gs:2147418112(
; ASM-NEXT:    movl $1, (%rdi)
; ASM:         movb $1, %gs:2147418112(
; ASM-NEXT:    movl $2, (%rsi)
  store i32 1, ptr %p, align 4
  call void asm sideeffect "", ""()
  store i32 2, ptr %q, align 4
  ret void
}

declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, i32, <8 x i1>, <8 x i32>)

define <8 x i32> @masked(<8 x i1> %mask) {
; CHECK-LABEL: define <8 x i32> @masked(
; CHECK:         [[POINTER:%.+]] = inttoptr i64 {{%.+}} to ptr{{$}}
; CHECK-NEXT:    call <8 x i32> @llvm.masked.load.v8i32.p0(ptr {{(align 4 )?}}[[POINTER]],
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr @table, i32 4, <8 x i1> %mask, <8 x i32> zeroinitializer)
  ret <8 x i32> %v
}

!0 = !{}
!1 = !{!2, !2, i64 0, i64 1}
!2 = !{!"constant int", !3, i64 0}
!3 = !{!"root"}
