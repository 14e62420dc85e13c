; memcpy, memmove and memset: short ones are marked at both ends and stay, long
; ones and those of unknown length become calls of the runtime, which marks and
; moves step by step. Those that must stay are marked as a whole beforehand.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefixes=CHECK,RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s --check-prefix=NEAR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)

@constant = constant [8 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8], align 8

define void @short_copy(ptr %d, ptr %s) {
; CHECK-LABEL: define void @short_copy(
; NEAR-LABEL: define void @short_copy(
; NEAR-NEXT:     [[FROM:%.+]] = ptrtoint ptr %s to i64
; NEAR-NEXT:     lshr i64 [[FROM]], 8
; NEAR-COUNT-1:  store volatile i8 4, ptr addrspace(256)
; NEAR-NEXT:     [[TO:%.+]] = ptrtoint ptr %d to i64
; NEAR-NEXT:     lshr i64 [[TO]], 8
; NEAR-COUNT-1:  store volatile i8 4, ptr addrspace(256)
; NEAR-NEXT:     call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 %s, i64 24, i1 false)
; RW-NEXT:       ptrtoint ptr %s to i64
; RW:            store volatile i8 1, ptr addrspace(256)
; RW:            add i64 {{%.+}}, 23{{$}}
; RW:            store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    ptrtoint ptr %d to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 23{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 %s, i64 24, i1 false)
; CHECK-NEXT:    ret
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 %s, i64 24, i1 false)
  ret void
}

; What code generation expands in place, aligned.
define void @aligned_set(ptr %d) {
; CHECK-LABEL: define void @aligned_set(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.memset
  call void @llvm.memset.p0.i64(ptr align 4096 %d, i8 0, i64 128, i1 false)
  ret void
}

; A whole granule. It would become a call of memset behind its mark.
define void @granule_set(ptr %d) {
; CHECK-LABEL: define void @granule_set(
; CHECK-NEXT:    call ptr @__pagetide_call.memset(ptr %d, i32 0, i64 4096)
; NEAR-LABEL: define void @granule_set(
; NEAR-NEXT:     call ptr @__pagetide_call.memset(ptr %d, i32 0, i64 4096)
  call void @llvm.memset.p0.i64(ptr align 4096 %d, i8 0, i64 4096, i1 false)
  ret void
}

define void @long_copy(ptr %d, ptr %s) {
; CHECK-LABEL: define void @long_copy(
; NEAR-LABEL: define void @long_copy(
; NEAR-NEXT:     call ptr @__pagetide_call.memcpy(ptr %d, ptr %s, i64 4097)
; CHECK-NEXT:    call ptr @__pagetide_call.memcpy(ptr %d, ptr %s, i64 4097)
; CHECK-NEXT:    ret
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 4097, i1 false)
  ret void
}

define void @copy(ptr %d, ptr %s, i64 %n) {
; CHECK-LABEL: define void @copy(
; CHECK-NEXT:    call ptr @__pagetide_call.memcpy(ptr %d, ptr %s, i64 %n)
; CHECK-NEXT:    ret
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
  ret void
}

; Lengths are unsigned.
define void @copy32(ptr %d, ptr %s, i32 %n) {
; CHECK-LABEL: define void @copy32(
; CHECK-NEXT:    [[LENGTH:%.+]] = zext i32 %n to i64
; CHECK-NEXT:    call ptr @__pagetide_call.memcpy(ptr %d, ptr %s, i64 [[LENGTH]])
  call void @llvm.memcpy.p0.p0.i32(ptr %d, ptr %s, i32 %n, i1 false)
  ret void
}

define void @move(ptr %d, ptr %s, i64 %n) {
; CHECK-LABEL: define void @move(
; CHECK-NEXT:    tail call ptr @__pagetide_call.memmove(ptr %d, ptr %s, i64 %n)
; CHECK-NEXT:    ret
  tail call void @llvm.memmove.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
  ret void
}

define void @set(ptr %d, i8 %c, i64 %n) {
; CHECK-LABEL: define void @set(
; CHECK-NEXT:    [[VALUE:%.+]] = zext i8 %c to i32
; CHECK-NEXT:    call ptr @__pagetide_call.memset(ptr %d, i32 [[VALUE]], i64 %n)
; CHECK-NEXT:    ret
  call void @llvm.memset.p0.i64(ptr %d, i8 %c, i64 %n, i1 false)
  ret void
}

define void @nothing(ptr %d, ptr %s) {
; CHECK-LABEL: define void @nothing(
; CHECK-NEXT:    call void @llvm.memcpy
; CHECK-NEXT:    ret
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 0, i1 false)
  ret void
}

define void @volatile_copy(ptr %d, ptr %s, i64 %n) {
; CHECK-LABEL: define void @volatile_copy(
; RW-NEXT:       call void @__pagetide_mark_read(ptr %s, i64 %n)
; CHECK-NEXT:    call void @__pagetide_mark_write(ptr %d, i64 %n)
; CHECK-NEXT:    call void @llvm.memcpy
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 true)
  ret void
}

define void @inline_copy(ptr %d, ptr %s) {
; CHECK-LABEL: define void @inline_copy(
; RW-NEXT:       call void @__pagetide_mark_read(ptr %s, i64 100000)
; CHECK-NEXT:    call void @__pagetide_mark_write(ptr %d, i64 100000)
; CHECK-NEXT:    call void @llvm.memcpy.inline
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %d, ptr %s, i64 100000, i1 false)
  ret void
}

define void @inline_set(ptr %d) {
; CHECK-LABEL: define void @inline_set(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.memset.inline
  call void @llvm.memset.inline.p0.i64(ptr %d, i8 0, i64 64, i1 false)
  ret void
}

define void @elements(ptr %d, ptr %s, i64 %n) {
; CHECK-LABEL: define void @elements(
; RW-NEXT:       call void @__pagetide_mark_read(ptr %s, i64 %n)
; CHECK-NEXT:    call void @__pagetide_mark_write(ptr %d, i64 %n)
; CHECK-NEXT:    call void @llvm.memcpy.element.unordered.atomic
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 %n, i32 4)
  ret void
}

; Another address space is memory too, but no function of the runtime takes such
; a pointer: the copy stays, and the runtime marks both sides beforehand.
define void @from_another_address_space(ptr %d, ptr addrspace(1) %s, i64 %n) {
; CHECK-LABEL: define void @from_another_address_space(
; RW-NEXT:       [[BITS:%.+]] = ptrtoint ptr addrspace(1) %s to i64
; RW-NEXT:       [[PLAIN:%.+]] = inttoptr i64 [[BITS]] to ptr
; RW-NEXT:       call void @__pagetide_mark_read(ptr [[PLAIN]], i64 %n)
; CHECK-NEXT:    call void @__pagetide_mark_write(ptr %d, i64 %n)
; CHECK-NEXT:    call void @llvm.memcpy
  call void @llvm.memcpy.p0.p1.i64(ptr %d, ptr addrspace(1) %s, i64 %n, i1 false)
  ret void
}

; Code generation would store the constant's bytes as immediates and read
; nothing. Made volatile, the copy reads what is marked.
define void @from_constant(ptr %d) {
; CHECK-LABEL: define void @from_constant(
; RW:            call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 {{%.+}}, i64 24, i1 true)
; WRITE:         call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 @constant, i64 24, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 @constant, i64 24, i1 false)
  ret void
}
