; Marked code calls the runtime in place of functions of the C library that only
; read memory. Code generation knows some other functions so well that it expands
; calls of them, after the last chance to mark. They stay calls, for the
; runtime's interceptors.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: llc -O2 -o - %t.ll | FileCheck %s --check-prefix=ASM
; RUN: llc -O0 -o - %t.ll | FileCheck %s --check-prefix=ASM
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s -o %t.near.ll
; RUN: FileCheck %s --check-prefix=NEAR --input-file=%t.near.ll
; RUN: llc -O2 -o - %t.near.ll | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @memcmp(ptr, ptr, i64)
declare i32 @bcmp(ptr, ptr, i64)
declare ptr @mempcpy(ptr, ptr, i64)
declare ptr @__memcpy_chk(ptr, ptr, i64, i64)
declare ptr @__memset_chk(ptr, i32, i64, i64)
declare i32 @abs(i32)
declare i64 @strlen(ptr) memory(read)
declare i32 @strcmp(ptr, ptr)
declare i32 @strcasecmp(ptr, ptr)
declare i32 @strcoll(ptr, ptr)
declare void @take(ptr)

define i1 @compare(ptr %a, ptr %b) {
; CHECK-LABEL: define i1 @compare(
; NEAR-LABEL: define i1 @compare(
; NEAR-NEXT:     call i32 @__pagetide_call.memcmp(ptr %a, ptr %b, i64 4)
; CHECK-NEXT:    call i32 @__pagetide_call.memcmp(ptr %a, ptr %b, i64 4)
; ASM-LABEL: compare:
; ASM:         callq __pagetide_call.memcmp
  %r = call i32 @memcmp(ptr %a, ptr %b, i64 4)
  %e = icmp eq i32 %r, 0
  ret i1 %e
}

define i1 @compare_bytes(ptr %a, ptr %b) {
; ASM-LABEL: compare_bytes:
; ASM:         callq __pagetide_call.bcmp
  %r = call i32 @bcmp(ptr %a, ptr %b, i64 16)
  %e = icmp eq i32 %r, 0
  ret i1 %e
}

; The runtime writes marks: nothing may be assumed of memory.
define i64 @length(ptr %a) {
; CHECK-LABEL: define i64 @length(
; CHECK-NEXT:    tail call i64 @__pagetide_call.strlen(ptr nonnull %a){{$}}
  %r = tail call i64 @strlen(ptr nonnull %a) memory(read)
  ret i64 %r
}

define i64 @length_by_jump(ptr %a) {
; CHECK-LABEL: define i64 @length_by_jump(
; CHECK-NEXT:    musttail call i64 @__pagetide_call.strlen(ptr %a)
  %r = musttail call i64 @strlen(ptr %a)
  ret i64 %r
}

; Without builtins the function is still libc's.
define i64 @length_without_builtins(ptr %a) "no-builtins" {
; CHECK-LABEL: define i64 @length_without_builtins(
; CHECK-NEXT:    call i64 @__pagetide_call.strlen(ptr %a)
  %r = call i64 @strlen(ptr %a) nobuiltin
  ret i64 %r
}

; A choice that is only called.
define i32 @compare_by(i1 %folded, i1 %again, ptr %a, ptr %b) {
; CHECK-LABEL: define i32 @compare_by(
; CHECK:         select i1 %folded, ptr @__pagetide_call.strcasecmp, ptr @__pagetide_call.strcmp
; CHECK:         phi ptr [ %one, %entry ], [ @__pagetide_call.strcoll, %other ]
entry:
  %one = select i1 %folded, ptr @strcasecmp, ptr @strcmp
  br i1 %again, label %other, label %call
other:
  br label %call
call:
  %function = phi ptr [ %one, %entry ], [ @strcoll, %other ]
  %r = call i32 %function(ptr %a, ptr %b)
  ret i32 %r
}

; Pointers to the function stay equal in all files.
define i1 @keep(ptr %slot, ptr %other, i1 %folded) {
; CHECK-LABEL: define i1 @keep(
; CHECK:         store ptr @strcmp, ptr %slot
; CHECK:         icmp eq ptr @strcmp, %other
; CHECK:         select i1 %folded, ptr @strcasecmp, ptr @strcmp
; CHECK:         call void @take(ptr @strcmp)
  store ptr @strcmp, ptr %slot
  %e = icmp eq ptr @strcmp, %other
  %c = select i1 %folded, ptr @strcasecmp, ptr @strcmp
  %d = call i32 %c(ptr %slot, ptr %other)
  call void @take(ptr %c)
  call void @take(ptr @strcmp)
  ret i1 %e
}

; A pointer that may be to such a function: by the types of the call, whether the
; call has a prototype or not.
define i32 @through_pointer(ptr %function, ptr %a, ptr %b) {
; CHECK-LABEL: define i32 @through_pointer(
; CHECK-NEXT:    %[[ADDRESS:.+]] = ptrtoint ptr %function to i64
; CHECK-NEXT:    %[[BEGIN:.+]] = load i64, ptr @__pagetide_named_functions
; CHECK-NEXT:    %[[FROM:.+]] = sub i64 %[[ADDRESS]], %[[BEGIN]]
; CHECK-NEXT:    %[[BYTES:.+]] = load i64, ptr getelementptr inbounds (i8, ptr @__pagetide_named_functions, i64 8)
; CHECK-NEXT:    %[[WITHIN:.+]] = icmp ult i64 %[[FROM]], %[[BYTES]]
; CHECK-NEXT:    br i1 %[[WITHIN]], label %[[ASK:.+]], label %[[CALL:[^,]+]]
; CHECK:         %[[FOUND:.+]] = call ptr @__pagetide_named_function(ptr %function)
; CHECK:         %[[CALLED:.+]] = phi ptr [ %function, %0 ], [ %[[FOUND]], %[[ASK]] ]
; CHECK-NEXT:    call i32 %[[CALLED]](ptr %a, ptr %b)
  %r = call i32 %function(ptr %a, ptr %b)
  ret i32 %r
}

define i32 @through_pointer_without_prototype(ptr %function, ptr %a, ptr %b) {
; CHECK-LABEL: define i32 @through_pointer_without_prototype(
; CHECK:         call ptr @__pagetide_named_function(ptr %function)
  %r = call i32 (...) %function(ptr %a, ptr %b)
  ret i32 %r
}

define i32 @through_pointer_invoked(ptr %function, ptr %a, ptr %b) personality ptr @take {
; CHECK-LABEL: define i32 @through_pointer_invoked(
; CHECK:         %[[FOUND:.+]] = call ptr @__pagetide_named_function(ptr %function)
; CHECK:         %[[CALLED:.+]] = phi ptr [ %function, %0 ], [ %[[FOUND]], %{{.+}} ]
; CHECK-NEXT:    invoke i32 %[[CALLED]](ptr %a, ptr %b)
  %r = invoke i32 %function(ptr %a, ptr %b) to label %next unwind label %pad
next:
  ret i32 %r
pad:
  %p = landingpad { ptr, i32 } cleanup
  ret i32 0
}

; No function in the table has these types. A virtual function is not libc's.
define i32 @through_other_pointer(ptr %function, ptr %a) {
; CHECK-LABEL: define i32 @through_other_pointer(
; CHECK-NEXT:    call i32 %function(ptr %a, i64 3, i64 4)
  %r = call i32 %function(ptr %a, i64 3, i64 4)
  ret i32 %r
}

define i32 @virtual(ptr %object) {
; CHECK-LABEL: define i32 @virtual(
; CHECK-NOT:     __pagetide_named
; CHECK:         call i32 %function(ptr %object)
  %table = load ptr, ptr %object, !tbaa !0
  %entry = getelementptr inbounds ptr, ptr %table, i64 2
  %function = load ptr, ptr %entry
  %r = call i32 %function(ptr %object)
  ret i32 %r
}

; Functions of the program: by their types, their visibility, their bodies.
define void @own(ptr %a) {
; CHECK-LABEL: define void @own(
; CHECK:         call i32 @index(i32 3)
; CHECK:         call i64 @strnlen(ptr %a, i64 3)
; CHECK:         call ptr @strchr(ptr %a, i32 3)
  %i = call i32 @index(i32 3)
  %n = call i64 @strnlen(ptr %a, i64 3)
  %c = call ptr @strchr(ptr %a, i32 3)
  ret void
}
declare i32 @index(i32)
declare hidden i64 @strnlen(ptr, i64)
define ptr @strchr(ptr %a, i32 %c) {
  ret ptr %a
}

define ptr @copy(ptr %a, ptr %b) {
; ASM-LABEL: copy:
; CHECK-LABEL: define ptr @copy(
; CHECK:         call ptr @mempcpy(ptr %a, ptr %b, i64 8) [[$NOBUILTIN:#[0-9]+]]
; ASM:         {{callq|jmp}} mempcpy
  %r = call ptr @mempcpy(ptr %a, ptr %b, i64 8)
  ret ptr %r
}

; Without a size to check, a fortified call is a plain one, and is marked so.
define ptr @fortified_copy(ptr %a, ptr %b) {
; CHECK-LABEL: define ptr @fortified_copy(
; NEAR-LABEL: define ptr @fortified_copy(
; NEAR-COUNT-2:  store volatile i8 4, ptr addrspace(256)
; NEAR-NEXT:     call void @llvm.memcpy.p0.p0.i64(ptr align 1 %a, ptr align 1 %b, i64 8, i1 false)
; CHECK-COUNT-4: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.memcpy.p0.p0.i64(ptr align 1 %a, ptr align 1 %b, i64 8, i1 false)
; CHECK-NEXT:    ret ptr %a
  %r = call ptr @__memcpy_chk(ptr %a, ptr %b, i64 8, i64 -1)
  ret ptr %r
}

define ptr @fortified_set(ptr %a, i64 %n) {
; CHECK-LABEL: define ptr @fortified_set(
; NEAR-LABEL: define ptr @fortified_set(
; NEAR-NEXT:     call ptr @__pagetide_call.memset(ptr %a, i32 0, i64 %n)
; CHECK-NEXT:    call ptr @__pagetide_call.memset(ptr %a, i32 0, i64 %n)
; CHECK-NEXT:    ret ptr %a
  %r = call ptr @__memset_chk(ptr %a, i32 0, i64 %n, i64 -1)
  ret ptr %r
}

define ptr @checked_copy(ptr %a, ptr %b, i64 %n) {
; ASM-LABEL: checked_copy:
; ASM:         {{callq|jmp}} __memcpy_chk
  %r = call ptr @__memcpy_chk(ptr %a, ptr %b, i64 %n, i64 64)
  ret ptr %r
}

; Functions that touch no memory stay as they are.
define i32 @other(i32 %a) {
; CHECK-LABEL: define i32 @other(
; CHECK-NEXT:    call i32 @abs(i32 %a){{$}}
  %r = call i32 @abs(i32 %a)
  ret i32 %r
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}

; The stub passes on what the linker makes of the name. No stub promises
; anything of memory.
; CHECK: define internal i64 @__pagetide_call.strlen(ptr %0) [[$STUB:#[0-9]+]] {
; CHECK-NEXT:    %[[LENGTH:.+]] = tail call i64 @__pagetide_strlen(ptr %0, i64 poison, i64 poison, i64 poison, i64 poison, ptr @strlen){{$}}
; CHECK-NEXT:    ret i64 %[[LENGTH]]
; CHECK: declare i64 @__pagetide_strlen(ptr, i64, i64, i64, i64, ptr) [[$EARLY:#[0-9]+]]
; CHECK: attributes [[$STUB]] = { disable_sanitizer_instrumentation nosanitize_coverage }
; CHECK: attributes [[$EARLY]] = { nonlazybind }
; CHECK: attributes [[$NOBUILTIN]] = { nobuiltin }

; A jump, so that the runtime sees the caller's return address.
; ASM-LABEL: __pagetide_call.strlen:
; ASM-NOT:     {{pushq|callq}}
; ASM:         movq strlen@GOTPCREL(%rip), %r9
; ASM:         jmpq {{.*}} # TAILCALL
