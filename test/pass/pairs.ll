; Under layout rw one store of two bytes marks a read and a write of one place,
; where the first of the two marks would be. But a store's mark stays behind a
; load if code generation would otherwise make less of the two.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=rw>,verify' -S %s | FileCheck %s --check-prefix=EXACT
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefix=ONE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefix=ONE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw-site>,verify' -S %s | FileCheck %s --check-prefix=ONE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -pagetide-pairs=0 -S %s | FileCheck %s --check-prefix=ONE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide' %s | llc -O2 -o - | FileCheck %s --check-prefix=CODE

; ONE-NOT: store volatile i16

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @opaque()

; Fields of one object: the mark is at its base, and says the same as two.
define i32 @fields(ptr %p) {
; CHECK-LABEL: define i32 @fields(
; CHECK:         [[INDEX:%.+]] = lshr i64 {{%.+}}, 8
; CHECK-NEXT:    [[PAIR:%.+]] = add nuw i64 [[INDEX]], [[INDEX]]
; CHECK-NEXT:    [[PLACE:%.+]] = add i64 [[PAIR]], 2147418112
; CHECK-NEXT:    [[SHADOW:%.+]] = inttoptr i64 [[PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i16 1028, ptr addrspace(256) [[SHADOW]], align 2, !nosanitize
; CHECK-NEXT:    load i32
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
; CODE-LABEL:  fields:
; CODE:          shrq $8,
; CODE-NEXT:     movw $1028, %gs:2147418112(%r
; CODE-NOT:      %gs:
; CODE:          retq
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  %g = getelementptr i8, ptr %p, i64 16
  store i32 1, ptr %g, align 4
  ret i32 %a
}

; The write comes first.
define i32 @written_then_read(ptr %p) {
; CHECK-LABEL: define i32 @written_then_read(
; CHECK:         store volatile i16 1028, ptr addrspace(256)
; CHECK-NEXT:    store i32 1
; CHECK-NEXT:    %g = getelementptr
; CHECK-NEXT:    load i32
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
  store i32 1, ptr %p, align 4
  %g = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %g, align 4
  ret i32 %a
}

; Not across a call: the write may never happen.
define i32 @across_call(ptr %p) {
; CHECK-LABEL: define i32 @across_call(
; CHECK-NOT:     store volatile i16
; CHECK:         call void @opaque()
; CHECK-NOT:     store volatile i16
; CHECK:         ret i32
  %a = load i32, ptr %p, align 4
  call void @opaque()
  store i32 1, ptr %p, align 4
  ret i32 %a
}

; Places that may be in different granules.
define i32 @two_objects(ptr %p, ptr %q) {
; CHECK-LABEL: define i32 @two_objects(
; CHECK-NOT:     store volatile i16
; CHECK:         ret i32
  %a = load i32, ptr %p, align 4
  store i32 1, ptr %q, align 4
  ret i32 %a
}

; In place: first and last of a chunk are marked once each.
define void @scale(ptr %p, i64 %n) {
; CHECK-LABEL: define void @scale(
; CHECK:       chunk:
; CHECK:         store volatile i16 257, ptr addrspace(256)
; CHECK:         store volatile i16 257, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret void
; EXACT-LABEL: define void @scale(
; EXACT:       chunk:
; EXACT:         store volatile i16 257, ptr addrspace(256)
; EXACT:         store volatile i16 257, ptr addrspace(256)
; EXACT-NOT:     addrspace(256)
; EXACT:         ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr %p, i64 %i
  %a = load double, ptr %at, align 8
  %b = fmul double %a, 3.0
  store double %b, ptr %at, align 8
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What follows would be made less of.
define void @stored_back(ptr %p) {
; CHECK-LABEL: define void @stored_back(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
; CODE-LABEL:  stored_back:
; CODE:          movl (%rdi),
; CODE:          movl {{%.+}}, (%rdi)
; CODE:          retq
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %p, align 4
  ret void
}

define i32 @what_was_stored(ptr %p) {
; CHECK-LABEL: define i32 @what_was_stored(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CODE-LABEL:  what_was_stored:
; CODE:          movl $1, (%rdi)
; CODE:          movl (%rdi), %eax
; CODE:          retq
  store i32 1, ptr %p, align 4
  %a = load i32, ptr %p, align 4
  ret i32 %a
}

; An update that is not the first write of its object.
define void @later_update(ptr %p) {
; CHECK-LABEL: define void @later_update(
; CHECK-NOT:     store volatile i16
; CHECK:         ret void
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  store i32 1, ptr %p, align 4
  %b = or i32 %a, 65280
  store i32 %b, ptr %f, align 4
  ret void
}

define void @one_lane(ptr %p, i32 %x) {
; CHECK-LABEL: define void @one_lane(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load <4 x i32>
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store <4 x i32>
  %a = load <4 x i32>, ptr %p, align 16
  %b = insertelement <4 x i32> %a, i32 %x, i64 2
  store <4 x i32> %b, ptr %p, align 16
  ret void
}

define void @clear_bits(ptr %p) {
; CHECK-LABEL: define void @clear_bits(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32
  %a = load i32, ptr %p, align 4
  %b = and i32 %a, -65536
  store i32 %b, ptr %p, align 4
  ret void
}

; It may straddle two granules, of which a narrower update leaves one alone.
define void @unaligned(ptr %p) {
; EXACT-LABEL: define void @unaligned(
; EXACT-COUNT-2: store volatile i8 1, ptr addrspace(256)
; EXACT:         load i32
; EXACT-NEXT:    xor i32
; EXACT-COUNT-2: store volatile i8 1, ptr addrspace(256)
; EXACT-NEXT:    store i32
  %a = load i32, ptr %p, align 2
  %b = xor i32 %a, 256
  store i32 %b, ptr %p, align 2
  ret void
}
