; Inline assembly: the operands that stand for memory, with the types that they
; are declared with.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s 2>%t | FileCheck %s --check-prefix=CHECK
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -disable-output %s 2>%t.default
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.default
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<warn-inline-asm=0>' -disable-output %s 2>%t.quiet
; RUN: count 0 <%t.quiet

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @written(ptr %p) {
; CHECK-LABEL: define void @written(
; CHECK:         add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 7{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void asm
  call void asm "movq $$0, $0", "=*m"(ptr elementtype(i64) %p)
  ret void
}

define void @read(ptr %p, i32 %x) {
; CHECK-LABEL: define void @read(
; CHECK-NOT:     add i64 {{%.+}}, 2147418113
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
; CHECK-COUNT-2: store volatile i16 257, ptr addrspace(256)
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

; The operand is an offset from the thread pointer.
define void @segment(ptr addrspace(257) %p) {
; CHECK-LABEL: define void @segment(
; CHECK:         call ptr @llvm.thread.pointer{{(\.p0)?}}()
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
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

; "May touch memory" and a pointer in a register: which bytes, nobody says. An
; empty template only keeps the compiler from moving things, and where operands
; name the memory, they do.
; WARNING-NOT: warning
; WARNING: warning: Pagetide: what the inline assembly in function 'pointer_in_register' touches through a pointer in a register is not marked; give it memory operands, or mark by hand with pagetide_mark_read() or pagetide_mark_written(); -fpagetide-warn-inline-asm=0 (of the plugin alone: -mllvm -pagetide-warn-inline-asm=0) turns this warning off
; WARNING-NOT: warning
define void @pointer_in_register(ptr %to, ptr %from, i64 %n, ptr %p) {
; CHECK-LABEL: define void @pointer_in_register(
; CHECK-NEXT:    call { ptr, ptr, i64 } asm
; CHECK-NOT:     addrspace(256)
; CHECK:         call void asm sideeffect "mfence"
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void asm sideeffect "movl $$0, $0"
; CHECK-NEXT:    ret void
  %moved = call { ptr, ptr, i64 } asm sideeffect "rep movsb", "={di},={si},={cx},0,1,2,~{memory}"(ptr %to, ptr %from, i64 %n)
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  call void asm sideeffect "mfence", "~{memory}"()
  call void asm sideeffect "movl $$0, $0", "=*m,r,~{memory}"(ptr elementtype(i32) %p, ptr %p)
  ret void
}
