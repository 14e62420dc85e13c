; Option frames: before each call a mark of the return address that it is about
; to write, right below the stack pointer. Not if code generation may turn the
; call into a jump, which writes no address, and not if it may move the stack
; pointer in between.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<frames>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefix=WITHOUT
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<frames>' %s | llc -o - | FileCheck %s --check-prefix=MACHINE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; WITHOUT-NOT: llvm.read_register

declare void @callee()
declare i64 @value(i64)
declare void @many(i64, i64, i64, i64, i64, i64, i64)
declare void @long(x86_fp80)
declare i32 @personality(...)

define void @call() {
; CHECK-LABEL: define void @call(
; CHECK-NEXT:    [[STACK:%.+]] = call i64 @llvm.read_register.i64(metadata [[$RSP:![0-9]+]])
; CHECK-NEXT:    [[PLACE:%.+]] = sub i64 [[STACK]], 8
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[PLACE]], 12
; CHECK-NEXT:    [[PAIR:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; CHECK-NEXT:    [[CELL:%.+]] = add i64 [[PAIR]], 2147418113
; CHECK-NEXT:    [[SHADOW:%.+]] = inttoptr i64 [[CELL]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[SHADOW]]
; CHECK-NEXT:    call void @callee()
; CHECK-NEXT:    ret void
; MACHINE-LABEL: call:
; MACHINE:         movq %rsp, [[R:%r..]]
; MACHINE-NEXT:    addq $-8, [[R]]
; MACHINE-NEXT:    shrq $12, [[R]]
; MACHINE-NEXT:    movb $1, %gs:2147418113([[R]],[[R]])
; MACHINE-NEXT:    callq callee
  call void @callee()
  ret void
}

define void @jump() {
; CHECK-LABEL: define void @jump(
; CHECK-NEXT:    tail call void @callee()
; CHECK-NEXT:    ret void
  tail call void @callee()
  ret void
}

define i64 @jump_with_result(i64 %x) {
; CHECK-LABEL: define i64 @jump_with_result(
; CHECK-NEXT:    tail call i64 @value(
  %v = tail call i64 @value(i64 %x)
  ret i64 %v
}

define i32 @jump_with_part_of_result(i64 %x) {
; CHECK-LABEL: define i32 @jump_with_part_of_result(
; CHECK-NEXT:    tail call i64 @value(
  %v = tail call i64 @value(i64 %x)
  %part = trunc i64 %v to i32
  ret i32 %part
}

define i64 @jump_from_a_branch(i64 %x, i1 %c) {
; CHECK-LABEL: define i64 @jump_from_a_branch(
; CHECK:       one:
; CHECK-NEXT:    tail call i64 @value(
; CHECK:       other:
; CHECK-NEXT:    call i64 @llvm.read_register
; CHECK:         tail call i64 @value(
  br i1 %c, label %one, label %other
one:
  %v = tail call i64 @value(i64 %x)
  br label %end
other:
  %w = tail call i64 @value(i64 %x)
  %u = add i64 %w, 1
  br label %end
end:
  %r = phi i64 [ %v, %one ], [ %u, %other ]
  ret i64 %r
}

define i64 @jump_must(i64 %x) {
; CHECK-LABEL: define i64 @jump_must(
; CHECK-NEXT:    musttail call i64 @value(
  %v = musttail call i64 @value(i64 %x)
  ret i64 %v
}

; Marked `tail`, and no tail call for all that.
define i64 @used_afterwards(i64 %x) {
; CHECK-LABEL: define i64 @used_afterwards(
; CHECK-NEXT:    call i64 @llvm.read_register
; CHECK:         store volatile i8 1
; CHECK-NEXT:    tail call i64 @value(
  %v = tail call i64 @value(i64 %x)
  %r = add i64 %v, %x
  ret i64 %r
}

define void @with_arguments_on_stack() {
; CHECK-LABEL: define void @with_arguments_on_stack(
; CHECK-NEXT:    call i64 @llvm.read_register
; CHECK:         call void @many(
  call void @many(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  ret void
}

; For fewer bytes of code, arguments may be pushed.
define void @with_arguments_pushed() optsize {
; CHECK-LABEL: define void @with_arguments_pushed(
; CHECK-NEXT:    call void @many(
; CHECK-NEXT:    call void @long(
; CHECK-NEXT:    call i64 @llvm.read_register
; CHECK:         call void @callee()
  call void @many(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  call void @long(x86_fp80 0xK3FFF8000000000000000)
  call void @callee()
  ret void
}

define void @with_array_of_variable_length(i64 %n) {
; CHECK-LABEL: define void @with_array_of_variable_length(
; CHECK-NEXT:    alloca
; CHECK-NEXT:    call void @many(
  %array = alloca i8, i64 %n
  call void @many(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  ret void
}

define void @invoke() personality ptr @personality {
; CHECK-LABEL: define void @invoke(
; CHECK:         store volatile i8 1
; CHECK-NEXT:    invoke void @callee()
  invoke void @callee() to label %fine unwind label %caught
fine:
  ret void
caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

define void @no_calls(ptr %p) {
; CHECK-LABEL: define void @no_calls(
; CHECK-NOT:     llvm.read_register
; CHECK:         ret void
  call void asm sideeffect "nop", ""()
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  ret void
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; CHECK: [[$RSP]] = !{!"rsp"}
