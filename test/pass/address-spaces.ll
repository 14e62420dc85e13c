; Address spaces of x86. Pointers of 32 bits (270: extended by their sign, 271:
; by zeroes) are plain memory. So are pointers of 64 bits (272 and all spaces
; without a special meaning). 257 is an offset from the thread pointer. 256
; belongs to Pagetide.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<marks=calls>,verify' -S %s | FileCheck %s --check-prefix=CALLS
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefix=WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide' %s | llc -O2 -o - | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @signed32(ptr addrspace(270) %p) {
; CHECK-LABEL: define i32 @signed32(
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr addrspace(270) %p to i32
; CHECK-NEXT:    [[WIDE:%.+]] = sext i32 [[BITS]] to i64
; CHECK-NEXT:    [[PLAIN:%.+]] = inttoptr i64 [[WIDE]] to ptr
; CHECK-NEXT:    [[ADDRESS:%.+]] = ptrtoint ptr [[PLAIN]] to i64
; CHECK-NEXT:    lshr i64 [[ADDRESS]], 9
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr addrspace(270) %p
; CALLS-LABEL: define i32 @signed32(
; CALLS:         [[PLAIN:%.+]] = inttoptr i64 {{%.+}} to ptr
; CALLS-NEXT:    call void @__pagetide_access(ptr [[PLAIN]], i64 4, i32 1)
; WRITE-LABEL: define i32 @signed32(
; WRITE-NEXT:    load i32
; ASM-LABEL: signed32:
; ASM:         movslq %edi, %[[P:[a-z]+]]
; ASM:         movb $1, %gs:
; ASM:         movl (%[[P]]), %eax
  %v = load i32, ptr addrspace(270) %p, align 4
  ret i32 %v
}

define void @unsigned32(ptr addrspace(271) %p) {
; CHECK-LABEL: define void @unsigned32(
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr addrspace(271) %p to i32
; CHECK-NEXT:    [[WIDE:%.+]] = zext i32 [[BITS]] to i64
; CHECK-NEXT:    [[PLAIN:%.+]] = inttoptr i64 [[WIDE]] to ptr
; CHECK:         ptrtoint ptr [[PLAIN]] to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 0, ptr addrspace(271) %p
  store i32 0, ptr addrspace(271) %p, align 4
  ret void
}

define void @pointer64(ptr addrspace(272) %p) {
; CHECK-LABEL: define void @pointer64(
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr addrspace(272) %p to i64
; CHECK-NEXT:    [[PLAIN:%.+]] = inttoptr i64 [[BITS]] to ptr
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 0, ptr addrspace(272) %p
  store i32 0, ptr addrspace(272) %p, align 4
  ret void
}

define i32 @no_meaning_of_its_own(ptr addrspace(1) %p) {
; CHECK-LABEL: define i32 @no_meaning_of_its_own(
; CHECK-COUNT-1: store volatile i16 257, ptr addrspace(256)
; CHECK-NEXT:    atomicrmw add ptr addrspace(1) %p
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  ret i32 %old
}

; One address and one mark serve load and store.
define void @update(ptr addrspace(271) %p) {
; CHECK-LABEL: define void @update(
; CHECK:         [[PLAIN:%.+]] = inttoptr i64 {{%.+}} to ptr
; CHECK-NOT:     inttoptr i64 {{%.+}} to ptr{{$}}
; CHECK-COUNT-1: store volatile i16 257, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr addrspace(271) %p
; CHECK-NEXT:    add
; CHECK-NEXT:    store i32
  %old = load i32, ptr addrspace(271) %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(271) %p, align 4
  ret void
}

; 32-bit sums wrap: the address of a field is not that of its object plus 64 bits.
define i32 @field(ptr addrspace(270) %p) {
; CHECK-LABEL: define i32 @field(
; CHECK-NEXT:    %f = getelementptr i8, ptr addrspace(270) %p, i32 16
; CHECK-NEXT:    ptrtoint ptr addrspace(270) %f to i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr addrspace(270) %f
  %f = getelementptr i8, ptr addrspace(270) %p, i32 16
  %v = load i32, ptr addrspace(270) %f, align 4
  ret i32 %v
}

; The pointer comes from an invoke: there is a place for its address in the block
; of the access.
declare ptr addrspace(270) @produce()
declare i32 @__gxx_personality_v0(...)

define i32 @of_an_invoke() personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define i32 @of_an_invoke(
; CHECK:       use:
; CHECK-NEXT:    ptrtoint ptr addrspace(270) %p to i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr addrspace(270) %p
  %p = invoke ptr addrspace(270) @produce() to label %use unwind label %pad
use:
  %v = load i32, ptr addrspace(270) %p, align 4
  ret i32 %v
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}

; The base is computed once. Its own alignment limits that of the access.
define i32 @thread(ptr addrspace(257) %p, ptr addrspace(257) %q) {
; CHECK-LABEL: define i32 @thread(
; CHECK-NEXT:    [[POINTER:%.+]] = call ptr @llvm.thread.pointer{{(\.p0)?}}()
; CHECK-NEXT:    [[BASE:%.+]] = ptrtoint ptr [[POINTER]] to i64
; CHECK-DAG:     [[P:%.+]] = ptrtoint ptr addrspace(257) %p to i64
; CHECK-DAG:     add i64 [[P]], [[BASE]]
; CHECK-DAG:     [[Q:%.+]] = ptrtoint ptr addrspace(257) %q to i64
; CHECK-DAG:     add i64 [[Q]], [[BASE]]
; CHECK-NOT:     thread.pointer
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32, ptr addrspace(257) %p
; CHECK:         store i32 %v, ptr addrspace(257) %q
; WRITE-LABEL: define i32 @thread(
; WRITE-COUNT-1: store volatile i8
; WRITE-NOT:     store volatile
; WRITE:         ret i32
; ASM-LABEL: thread:
; ASM:         movq %fs:0, %
; ASM:         movb ${{[0-9]+}}, %gs:
; ASM:         movl %fs:(%rdi), %eax
  %v = load i32, ptr addrspace(257) %p, align 4
  store i32 %v, ptr addrspace(257) %q, align 4
  ret i32 %v
}

define i64 @thread_wide_alignment(ptr addrspace(257) %p) {
; CHECK-LABEL: define i64 @thread_wide_alignment(
; CHECK:         store volatile i8 {{[14]}}, ptr addrspace(256)
  %v = load i64, ptr addrspace(257) %p, align 4096
  ret i64 %v
}

; A gather's addresses are a vector of them.
declare <2 x i32> @llvm.masked.gather.v2i32.v2p270(<2 x ptr addrspace(270)>, i32, <2 x i1>, <2 x i32>)

define <2 x i32> @gather(<2 x ptr addrspace(270)> %p) {
; CHECK-LABEL: define <2 x i32> @gather(
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint <2 x ptr addrspace(270)> %p to <2 x i32>
; CHECK-NEXT:    [[WIDE:%.+]] = sext <2 x i32> [[BITS]] to <2 x i64>
; CHECK-NEXT:    inttoptr <2 x i64> [[WIDE]] to <2 x ptr>
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p270(<2 x ptr addrspace(270)> %p, i32 4, <2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}
