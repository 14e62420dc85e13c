; Inline assembly: the operands that stand for memory, with the types that they
; are declared with.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @written(ptr %p) {
; CHECK-LABEL: define void @written(
; CHECK:         add nuw i64 {{%.+}}, 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 7{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void asm
  call void asm "movq $$0, $0", "=*m"(ptr elementtype(i64) %p)
  ret void
}

define void @read(ptr %p, i32 %x) {
; CHECK-LABEL: define void @read(
; CHECK-NOT:     add nuw i64 {{%.+}}, 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 99{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void asm
  call void asm sideeffect "", "r,*m,~{memory}"(i32 %x, ptr elementtype([100 x i8]) %p)
  ret void
}

; A result in a register takes no argument.
define i64 @updated(ptr %p, i64 %x) {
; CHECK-LABEL: define i64 @updated(
; CHECK-COUNT-4: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call i64 asm
  %v = call i64 asm "lock xaddq $0, $1", "=r,=*m,0,*m"(ptr elementtype(i64) %p, i64 %x, ptr elementtype(i64) %p)
  ret i64 %v
}

define void @no_memory(ptr %p) {
; CHECK-LABEL: define void @no_memory(
; CHECK-NEXT:    call void asm
; CHECK-NEXT:    ret void
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  ret void
}

define void @segment(ptr addrspace(257) %p) {
; CHECK-LABEL: define void @segment(
; CHECK-NEXT:    call void asm
; CHECK-NEXT:    ret void
  call void asm sideeffect "", "*m"(ptr addrspace(257) elementtype(i64) %p)
  ret void
}

define i32 @jump(ptr %p) {
; CHECK-LABEL: define i32 @jump(
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    callbr void asm
  callbr void asm sideeffect "", "*m,!i"(ptr elementtype(i32) %p) to label %next [label %other]
next:
  ret i32 0
other:
  ret i32 1
}
