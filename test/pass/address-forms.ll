; Addresses that differ by a constant share marks, however each was computed:
; a[i], a[i + 1]. What might wrap on its way to 64 bits is another address.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=exact>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near>,verify' -S %s | FileCheck %s --check-prefix=NEAR
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near;address-forms=0>,verify' -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Three elements: the granules of the first and the last byte are those of all.
define double @elements(ptr %a, i64 %i) {
; CHECK-LABEL: define double @elements(
; CHECK:         [[FIRST:%.+]] = ptrtoint ptr %p0 to i64
; CHECK-NEXT:    lshr i64 [[FIRST]], 12
; CHECK:         [[BASE:%.+]] = ptrtoint ptr %p0 to i64
; CHECK-NEXT:    [[LAST:%.+]] = add i64 [[BASE]], 23
; CHECK-NEXT:    lshr i64 [[LAST]], 12
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    %x0 = load
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
; NEAR-LABEL: define double @elements(
; NEAR:         [[BITS:%.+]] = ptrtoint ptr %p0 to i64
; NEAR-NEXT:    lshr i64 [[BITS]], 8
; NEAR:         store volatile i8 4, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
; OFF-LABEL: define double @elements(
; OFF-COUNT-3:  store volatile i8 {{[14]}}, ptr addrspace(256)
; OFF-NOT:      store volatile
; OFF:          ret
  %i1 = add i64 %i, 1
  %i2 = add i64 %i, 2
  %p0 = getelementptr double, ptr %a, i64 %i
  %p1 = getelementptr double, ptr %a, i64 %i1
  %p2 = getelementptr double, ptr %a, i64 %i2
  %x0 = load double, ptr %p0, align 8
  %x1 = load double, ptr %p1, align 8
  %x2 = load double, ptr %p2, align 8
  %s = fadd double %x0, %x1
  %t = fadd double %s, %x2
  ret double %t
}

; The first element that is touched is not the lowest.
define void @downward(ptr %a, i64 %i) {
; NEAR-LABEL: define void @downward(
; NEAR:         [[BITS:%.+]] = ptrtoint ptr %p2 to i64
; NEAR-NEXT:    [[LOW:%.+]] = add i64 [[BITS]], -16
; NEAR-NEXT:    lshr i64 [[LOW]], 8
; NEAR:         store volatile i8 4, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %i2 = or disjoint i64 %i, 2
  %p2 = getelementptr i64, ptr %a, i64 %i2
  store i64 0, ptr %p2, align 8
  %p0 = getelementptr i64, ptr %a, i64 %i
  store i64 0, ptr %p0, align 8
  ret void
}

; Two dimensions, through a shift and a product.
define i32 @rows(ptr %a, i64 %i, i64 %j) {
; NEAR-LABEL: define i32 @rows(
; NEAR-COUNT-1: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %row = shl i64 %i, 4
  %at = add i64 %row, %j
  %p = getelementptr i32, ptr %a, i64 %at
  %x = load i32, ptr %p, align 4
  %i1 = add i64 %i, 1
  %row1 = mul i64 %i1, 16
  %q = getelementptr i32, ptr %a, i64 %row1
  %q1 = getelementptr i32, ptr %q, i64 %j
  %y = load i32, ptr %q1, align 4
  %s = add i32 %x, %y
  ret i32 %s
}

; Indices of 32 bits that cannot wrap: signed, unsigned, and not negative.
define i32 @narrow(ptr %a, i32 %i) {
; NEAR-LABEL: define i32 @narrow(
; NEAR-COUNT-1: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %w0 = sext i32 %i to i64
  %p0 = getelementptr i32, ptr %a, i64 %w0
  %x0 = load i32, ptr %p0, align 4
  %i1 = add nsw i32 %i, 1
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %a, i64 %w1
  %x1 = load i32, ptr %p1, align 4
  %i2 = add nsw i32 %i, 2
  %w2 = zext nneg i32 %i2 to i64
  %p2 = getelementptr i32, ptr %a, i64 %w2
  %x2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %a, i32 %i2
  %x3 = load i32, ptr %p3, align 4
  %s = add i32 %x0, %x1
  %t = add i32 %s, %x2
  %u = add i32 %t, %x3
  ret i32 %u
}

define i32 @narrow_unsigned(ptr %a, i32 %i) {
; NEAR-LABEL: define i32 @narrow_unsigned(
; NEAR-COUNT-1: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %w0 = zext i32 %i to i64
  %p0 = getelementptr i32, ptr %a, i64 %w0
  %x0 = load i32, ptr %p0, align 4
  %i1 = add nuw i32 %i, 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %a, i64 %w1
  %x1 = load i32, ptr %p1, align 4
  %s = add i32 %x0, %x1
  ret i32 %s
}

; The block behind knows of the mark, by the address's form.
define i32 @later(ptr %a, i64 %i, i1 %c) {
; NEAR-LABEL: define i32 @later(
; NEAR-COUNT-1: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
entry:
  %p0 = getelementptr i32, ptr %a, i64 %i
  %x0 = load i32, ptr %p0, align 4
  br i1 %c, label %more, label %done

more:
  %i1 = add i64 %i, 1
  %p1 = getelementptr i32, ptr %a, i64 %i1
  %x1 = load i32, ptr %p1, align 4
  br label %done

done:
  %r = phi i32 [ %x0, %entry ], [ %x1, %more ]
  ret i32 %r
}

; What may wrap, has another value or another factor, is elsewhere.
define i32 @may_wrap(ptr %a, i32 %i) {
; NEAR-LABEL: define i32 @may_wrap(
; NEAR-COUNT-2: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %w0 = sext i32 %i to i64
  %p0 = getelementptr i32, ptr %a, i64 %w0
  %x0 = load i32, ptr %p0, align 4
  %i1 = add nuw i32 %i, 1
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %a, i64 %w1
  %x1 = load i32, ptr %p1, align 4
  %s = add i32 %x0, %x1
  ret i32 %s
}

define i32 @sign_and_zeroes(ptr %a, i32 %i) {
; NEAR-LABEL: define i32 @sign_and_zeroes(
; NEAR-COUNT-2: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %w0 = sext i32 %i to i64
  %p0 = getelementptr i32, ptr %a, i64 %w0
  %x0 = load i32, ptr %p0, align 4
  %w1 = zext i32 %i to i64
  %p1 = getelementptr i32, ptr %a, i64 %w1
  %x1 = load i32, ptr %p1, align 4
  %s = add i32 %x0, %x1
  ret i32 %s
}

define i32 @other_factor(ptr %a, i64 %i, i64 %j) {
; NEAR-LABEL: define i32 @other_factor(
; NEAR-COUNT-3: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %p0 = getelementptr i32, ptr %a, i64 %i
  %x0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i64, ptr %a, i64 %i
  %x1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %a, i64 %j
  %x2 = load i32, ptr %p2, align 4
  %s = add i32 %x0, %x1
  %t = add i32 %s, %x2
  ret i32 %t
}

; A disjoint or of 32 bits is a sum that does not wrap. Any other or is not a
; sum.
define i32 @bits(ptr %a, i32 %i) {
; NEAR-LABEL: define i32 @bits(
; NEAR-COUNT-2: store volatile i8 {{[14]}}, ptr addrspace(256)
; NEAR-NOT:     addrspace(256)
; NEAR:         ret
  %w0 = sext i32 %i to i64
  %p0 = getelementptr i32, ptr %a, i64 %w0
  %x0 = load i32, ptr %p0, align 4
  %i1 = or disjoint i32 %i, 1
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %a, i64 %w1
  %x1 = load i32, ptr %p1, align 4
  %i2 = or i32 %i, 2
  %w2 = sext i32 %i2 to i64
  %p2 = getelementptr i32, ptr %a, i64 %w2
  %x2 = load i32, ptr %p2, align 4
  %s = add i32 %x0, %x1
  %t = add i32 %s, %x2
  ret i32 %t
}

; Two that stay on one granule, since eight bytes of them are aligned so: one
; mark, as for fields.
define i32 @pair(ptr %a, i64 %i) {
; CHECK-LABEL: define i32 @pair(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret
  %even = shl i64 %i, 1
  %p0 = getelementptr i32, ptr %a, i64 %even
  %x0 = load i32, ptr %p0, align 8
  %odd = or disjoint i64 %even, 1
  %p1 = getelementptr i32, ptr %a, i64 %odd
  %x1 = load i32, ptr %p1, align 4
  %s = add i32 %x0, %x1
  ret i32 %s
}
