; Thread-local variables are marked at the address they have in this thread.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: llc -O2 -relocation-model=pic -o - %t.ll | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@counter = internal thread_local(initialexec) global i32 0, align 4

declare ptr @llvm.threadlocal.address.p0(ptr)

define void @increment() {
; CHECK-LABEL: define void @increment(
; CHECK-NEXT:    %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
; CHECK-NEXT:    ptrtoint ptr %p to i64
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr %p
; ASM-LABEL: increment:
; ASM:         addq %{{r.+}}, %[[ADDRESS:r.+]]
; ASM-NEXT:    shrq $12, %[[ADDRESS]]
; ASM-NEXT:    movb $1, %gs:2147418112(%[[ADDRESS]])
; ASM-NEXT:    incl %fs:(%{{r.+}})
  %p = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  %v = load i32, ptr %p, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %p, align 4
  ret void
}

; Without the intrinsic, as older code has it.
define i32 @read() {
; CHECK-LABEL: define i32 @read(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32, ptr @counter
  %v = load i32, ptr @counter, align 4
  ret i32 %v
}
