; Precision near: one mark at a base serves all that lies within a cell's bytes
; of it, wherever the granules' borders are.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw;precision=near>,verify' -S %s | FileCheck %s --check-prefix=RW
; RUN: not %opt -load-pass-plugin=%pass -passes='pagetide<precision=near;granule=10>' -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FINE
; FINE: option precision=near has cells of 2^8 bytes and needs a granule of 11 or more, not 10

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The module says so of itself: cell, then granule.
; CHECK: @pagetide.record = {{.*}} i32 1, i32 8, i32 12, i32 0 }

declare void @opaque()

; Fields at either end, one of them unaligned: the base alone.
define i32 @fields(ptr %p) {
; CHECK-LABEL: define i32 @fields(
; CHECK-NEXT:    %f = getelementptr
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[INDEX:%.+]] = lshr i64 [[BITS]], 8
; CHECK-NEXT:    [[CELL_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; CHECK-NEXT:    [[CELL:%.+]] = inttoptr i64 [[CELL_PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i8 4, ptr addrspace(256) [[CELL]]
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
; RW-LABEL: define i32 @fields(
; RW:         [[INDEX:%.+]] = lshr i64 %{{.+}}, 8
; RW:         store volatile i16 1028, ptr addrspace(256) %{{.+}}, align 2
; RW-NOT:     addrspace(256)
; RW:         ret i32
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  %g = getelementptr i8, ptr %p, i64 252
  %b = load i32, ptr %g, align 1
  store i32 %b, ptr %f, align 4
  ret i32 %a
}

; The last byte is one too far from the base: from the lowest byte on.
define i32 @beyond(ptr %p) {
; CHECK-LABEL: define i32 @beyond(
; CHECK-NEXT:    %f = getelementptr
; CHECK-NEXT:    [[BITS:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[ADDRESS:%.+]] = add i64 [[BITS]], 253
; CHECK-NEXT:    lshr i64 [[ADDRESS]], 8
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
  %f = getelementptr i8, ptr %p, i64 253
  %a = load i32, ptr %f, align 1
  ret i32 %a
}

; Below the base.
define i64 @below(ptr %p) {
; CHECK-LABEL: define i64 @below(
; CHECK:         add i64 %{{.+}}, -8
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i64
  %f = getelementptr i8, ptr %p, i64 -8
  %a = load i64, ptr %f, align 8
  %b = load i64, ptr %p, align 8
  %c = add i64 %a, %b
  ret i64 %c
}

; What a base's mark has covered on every way here is covered, but not behind a
; call.
define i32 @path(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @path(
; CHECK-COUNT-1: store volatile i8 4, ptr addrspace(256)
; CHECK:       then:
; CHECK-NOT:     addrspace(256)
; CHECK:         call void @opaque()
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
  store i32 1, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  %f = getelementptr i8, ptr %p, i64 200
  %b = load i32, ptr %f, align 4
  call void @opaque()
  %d = load i32, ptr %f, align 4
  %r = add i32 %b, %d
  ret i32 %r
else:
  ret i32 0
}

; An element of an array, which may straddle.
define double @unaligned(ptr %p, i64 %i) {
; CHECK-LABEL: define double @unaligned(
; CHECK:         ptrtoint ptr %f to i64
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret double
  %f = getelementptr i8, ptr %p, i64 %i
  %a = load double, ptr %f, align 1
  ret double %a
}

; What serves a single aligned access is certain, in the even cell of a pair: never
; in a granule's last. So is what serves two of them that alignment keeps together.
define i32 @single(ptr %p) {
; CHECK-LABEL: define i32 @single(
; CHECK:         add i64 %{{.+}}, 8
; CHECK-NEXT:    [[PAIR:%.+]] = lshr i64 %{{.+}}, 9
; CHECK-NEXT:    [[CELL:%.+]] = shl nuw i64 [[PAIR]], 1
; CHECK-NEXT:    [[PLACE:%.+]] = add i64 [[CELL]], 2147418112
; CHECK-NEXT:    inttoptr i64 [[PLACE]]
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
; RW-LABEL: define i32 @single(
; RW:            [[PAIR:%.+]] = lshr i64 %{{.+}}, 9
; RW-NEXT:       [[CELL:%.+]] = shl nuw i64 [[PAIR]], 2
; RW-NEXT:       [[PLACE:%.+]] = add i64 [[CELL]], 2147418112
; RW-NEXT:       inttoptr i64 [[PLACE]]
; RW-NEXT:       store volatile i8 1, ptr addrspace(256)
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  ret i32 %a
}
define i32 @together(ptr align 16 %p) {
; CHECK-LABEL: define i32 @together(
; CHECK:         ptrtoint ptr %p to i64
; CHECK-NEXT:    lshr i64 %{{.+}}, 9
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  %g = getelementptr i8, ptr %p, i64 4
  %b = load i32, ptr %g, align 4
  %s = add i32 %a, %b
  ret i32 %s
}

; Not where it serves an access of a later block on one of its ways, or shares its
; address with another: a read of one field, a write of the other.
define i32 @later(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @later(
; CHECK-COUNT-2: store volatile i8 4, ptr addrspace(256)
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %p, align 4
  br label %join
else:
  %f = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %f, align 4
  br label %join
join:
  %g = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %g, align 4
  ret i32 %a
}
define void @shared(ptr %p) {
; RW-LABEL: define void @shared(
; RW:            lshr i64 %{{.+}}, 8
; RW:            store volatile i16 1028, ptr addrspace(256)
; RW-NOT:        addrspace(256)
; RW:            ret void
  %f = getelementptr i8, ptr %p, i64 8
  %a = load i32, ptr %f, align 4
  store i32 %a, ptr %p, align 4
  ret void
}

; More than a cell: both ends, for certain.
define void @long(ptr %p, ptr %q) {
; CHECK-LABEL: define void @long(
; CHECK:         [[PAIR:%.+]] = lshr i64 %{{.+}}, 9
; CHECK-NEXT:    [[INDEX:%.+]] = shl nuw i64 [[PAIR]], 1
; CHECK-NEXT:    [[CELL_PLACE:%.+]] = add i64 [[INDEX]], 2147418112
; CHECK-NEXT:    [[CELL:%.+]] = inttoptr i64 [[CELL_PLACE]]
; CHECK-NEXT:    store volatile i8 1, ptr addrspace(256) [[CELL]]
; CHECK:         add i64 %{{.+}}, 299
; CHECK:         shl nuw i64 %{{.+}}, 1
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         load <300 x i8>
  %a = load <300 x i8>, ptr %p, align 1
  store <300 x i8> %a, ptr %q, align 1
  ret void
}

; The ends of a loop's chunk are certain too.
define i64 @sum(ptr %p, i64 %n) {
; CHECK-LABEL: define i64 @sum(
; CHECK:       chunk:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     i8 4, ptr addrspace(256)
; CHECK:         ret i64
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %f = getelementptr i64, ptr %p, i64 %i
  %a = load i64, ptr %f, align 8
  %t = add i64 %s, %a
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %end, label %loop
end:
  ret i64 %t
}
