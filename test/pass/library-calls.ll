; Code generation knows some functions of the C library so well that it expands
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

define i1 @compare(ptr %a, ptr %b) {
; CHECK-LABEL: define i1 @compare(
; NEAR-LABEL: define i1 @compare(
; NEAR-NEXT:     call i32 @memcmp(ptr %a, ptr %b, i64 4) [[$NOBUILTIN:#[0-9]+]]
; CHECK:         call i32 @memcmp(ptr %a, ptr %b, i64 4) [[$NOBUILTIN:#[0-9]+]]
; ASM-LABEL: compare:
; ASM:         callq memcmp
  %r = call i32 @memcmp(ptr %a, ptr %b, i64 4)
  %e = icmp eq i32 %r, 0
  ret i1 %e
}

define i1 @compare_bytes(ptr %a, ptr %b) {
; ASM-LABEL: compare_bytes:
; ASM:         callq bcmp
  %r = call i32 @bcmp(ptr %a, ptr %b, i64 16)
  %e = icmp eq i32 %r, 0
  ret i1 %e
}

define ptr @copy(ptr %a, ptr %b) {
; ASM-LABEL: copy:
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
; NEAR-NEXT:     call ptr @__pagetide_memset(ptr %a, i32 0, i64 %n)
; CHECK-NEXT:    call ptr @__pagetide_memset(ptr %a, i32 0, i64 %n)
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

; CHECK: attributes [[$NOBUILTIN]] = { nobuiltin }
