; If a store updates what was loaded, its mark is before that load, so that code
; generation merges the two. But not if then some marked bytes might not be
; touched.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,RW
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,WRITE
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw;distrust-alignment>,verify' -S %s | FileCheck %s --check-prefix=DISTRUST
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>' %s | llc -O2 -o - | FileCheck %s --check-prefix=CODE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque()

define void @count(ptr %p) {
; CHECK-LABEL: define void @count(
; RW-COUNT-1:    store volatile i16 257, ptr addrspace(256)
; WRITE-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    add i32
; CHECK-NEXT:    store i32
; DISTRUST-LABEL: define void @count(
; DISTRUST:        load i32
; DISTRUST:        store volatile i8 1, ptr addrspace(256)
; DISTRUST:        store i32
; CODE-LABEL:    count:
; CODE:          movw $257, %gs:
; CODE-NEXT:     incl (%rdi)
; CODE-NEXT:     retq
  %a = load i32, ptr %p, align 4
  %b = add i32 %a, 1
  store i32 %b, ptr %p, align 4
  ret void
}

; The value may stand on either side.
define void @subtract_from(ptr %p, i64 %n) {
; CHECK-LABEL: define void @subtract_from(
; RW-COUNT-1:    store volatile i16 257, ptr addrspace(256)
; WRITE-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i64
; CHECK-NEXT:    sub i64
; CHECK-NEXT:    store i64
  %a = load i64, ptr %p, align 8
  %b = sub i64 %n, %a
  store i64 %b, ptr %p, align 8
  ret void
}

define void @set_bit(ptr %p, i32 %bit) {
; CHECK-LABEL: define void @set_bit(
; RW-COUNT-1:    store volatile i16 257, ptr addrspace(256)
; WRITE-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    or i32
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  %b = or i32 %a, %bit
  store i32 %b, ptr %p, align 4
  ret void
}

; Of bits that are known, a narrow store may be made, which reads nothing. Without
; marks of reads that does not matter.
define void @set_byte(ptr %p) {
; CHECK-LABEL: define void @set_byte(
; RW-COUNT-1:    store volatile i8 1, ptr addrspace(256)
; WRITE-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    or i32
; RW-COUNT-1:    store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  %b = or i32 %a, 65280
  store i32 %b, ptr %p, align 4
  ret void
}

define void @clear_byte(ptr %p) {
; CHECK-LABEL: define void @clear_byte(
; RW-COUNT-1:    store volatile i8 1, ptr addrspace(256)
; WRITE-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    and i32
; RW-COUNT-1:    store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  %b = and i32 %a, -65281
  store i32 %b, ptr %p, align 4
  ret void
}

; Two granules: a narrower update might leave one of them alone.
define void @unaligned(ptr %p) {
; CHECK-LABEL: define void @unaligned(
; RW-COUNT-2:    store volatile i8 1, ptr addrspace(256)
; CHECK:         load i32
; CHECK-NEXT:    xor i32
; RW-COUNT-2:    store volatile i8 1, ptr addrspace(256)
; WRITE-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 1
  %b = xor i32 %a, 256
  store i32 %b, ptr %p, align 1
  ret void
}

; The old value is used: there can be no one instruction.
define i32 @old_value(ptr %p) {
; CHECK-LABEL: define i32 @old_value(
; RW:            store volatile i16 257, ptr addrspace(256)
; RW-NEXT:       load i32
; RW-NEXT:       add i32
; RW-NEXT:       store i32
; WRITE:         load i32
; WRITE-NEXT:    add i32
; WRITE:         store volatile i8 1, ptr addrspace(256)
; WRITE-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  %b = add i32 %a, 1
  store i32 %b, ptr %p, align 4
  ret i32 %a
}

; A call may not come back.
define void @across_call(ptr %p) {
; CHECK-LABEL: define void @across_call(
; CHECK:         load i32
; CHECK-NEXT:    call void @opaque()
; CHECK-NEXT:    add i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  call void @opaque()
  %b = add i32 %a, 1
  store i32 %b, ptr %p, align 4
  ret void
}
