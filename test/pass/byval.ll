; A call that passes an argument by value copies it: it reads all of it before
; it starts. The copy itself, like the memory a result is returned in, is an
; object like any other.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%small = type { i64, i64, i64 }
%large = type [10000 x i64]

declare void @take_small(ptr byval(%small) align 8)
declare void @take_large(ptr byval(%large) align 8)
declare void @return_small(ptr sret(%small) align 8)
declare i32 @__gxx_personality_v0(...)

define void @pass_small(ptr %p) {
; CHECK-LABEL: define void @pass_small(
; CHECK-NEXT:    [[FIRST:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[FIRST_INDEX:%.+]] = lshr i64 [[FIRST]], 12
; CHECK-NEXT:    [[FIRST_PAIR:%.+]] = add nuw i64 [[FIRST_INDEX]], [[FIRST_INDEX]]
; CHECK-NEXT:    [[FIRST_SHADOW_PLACE:%.+]] = add i64 [[FIRST_PAIR]], 2147418112
; CHECK-NEXT:    [[FIRST_SHADOW:%.+]] = inttoptr i64 [[FIRST_SHADOW_PLACE]]
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[FIRST_SHADOW]]
; CHECK:         add i64 {{%.+}}, 23{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @take_small
; CHECK-NEXT:    ret void
  call void @take_small(ptr byval(%small) align 8 %p)
  ret void
}

define void @pass_large(ptr %p) {
; CHECK-LABEL: define void @pass_large(
; CHECK-NEXT:    call void @__pagetide_mark_read(ptr %p, i64 80000)
; CHECK-NEXT:    call void @take_large
; CHECK-NEXT:    ret void
  call void @take_large(ptr byval(%large) align 8 %p)
  ret void
}

define void @pass_through_pointer(ptr %f, ptr %p) personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define void @pass_through_pointer(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    invoke void %f
  invoke void %f(ptr byval(%small) align 8 %p) to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}

define i64 @use(ptr byval(%small) align 8 %copy) {
; CHECK-LABEL: define i64 @use(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i64, ptr %copy
  %v = load i64, ptr %copy, align 8
  ret i64 %v
}

define void @call_for_result(ptr %p) {
; CHECK-LABEL: define void @call_for_result(
; CHECK-NEXT:    call void @return_small
; CHECK-NEXT:    ret void
  call void @return_small(ptr sret(%small) align 8 %p)
  ret void
}

define void @return_result(ptr sret(%small) align 8 %p) {
; CHECK-LABEL: define void @return_result(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i64 0, ptr %p
  store i64 0, ptr %p, align 8
  ret void
}

; Of a constant's bytes code generation makes stores of immediates, which read
; nothing, unless it does not know where they come from.
@constant = internal constant %small zeroinitializer
@variable = internal global %small zeroinitializer

define void @pass_constant() {
; CHECK-LABEL: define void @pass_constant(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[SOURCE:%.+]] = call ptr asm "", "=r,0"(ptr @constant)
; CHECK-NEXT:    call void @take_small(ptr byval(%small) align 8 [[SOURCE]])
; CHECK:         call void @take_small(ptr byval(%small) align 8 @variable)
  call void @take_small(ptr byval(%small) align 8 @constant)
  call void @take_small(ptr byval(%small) align 8 @variable)
  ret void
}
