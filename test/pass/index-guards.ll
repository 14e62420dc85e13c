; Precision near: elements at unsigned indices of 32 bits share a mark although
; i + 1 may wrap on its way to 64 bits. A check before says where it may, and marks
; what the accesses could reach then as may, at either end.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;precision=near>,verify' -S %s | FileCheck %s --check-prefix=WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near;index-guards=0>,verify' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=exact>,verify' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near;marks=check>,verify' -S %s | FileCheck %s --check-prefix=CERTAIN
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=near;marks=calls>,verify' -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; OFF-NOT: __pagetide_mark_may

; The check is for the largest sum, and stands behind the mark. What may be
; accessed are the four bytes from a[i] on, and those 4 GiB below.
define i32 @walk(ptr %a, i32 %i) {
; CHECK-LABEL: define i32 @walk(
; CHECK:         store volatile i8 4, ptr addrspace(256)
; CHECK-NEXT:    [[WRAPS:%.+]] = icmp ugt i32 %i, -4
; CHECK-NEXT:    br i1 [[WRAPS]], label %[[RARE:.+]], label %[[TAIL:[^,]+]], !prof [[$UNLIKELY:![0-9]+]]
; CHECK:       [[RARE]]:
; CHECK:         [[LOW:%.+]] = inttoptr i64 [[ORIGIN:%.+]] to ptr
; CHECK-NEXT:    call void @__pagetide_mark_may_read(ptr [[LOW]], i64 3)
; CHECK-NEXT:    [[BELOW:%.+]] = inttoptr i64 {{.+}} to ptr
; CHECK-NEXT:    call void @__pagetide_mark_may_read(ptr [[BELOW]], i64 3)
; CHECK:         br label %[[TAIL]]
; CHECK:       [[TAIL]]:
; CHECK:         %x0 = load i8
; CHECK-NOT:     addrspace(256)
; CHECK-NOT:     __pagetide
; CHECK:         ret i32
; CERTAIN-LABEL: define i32 @walk(
; CERTAIN-COUNT-2: call void @__pagetide_mark_read(
; CERTAIN-NOT:     __pagetide_mark
; CERTAIN:         ret i32
; WRITE-LABEL: define i32 @walk(
; WRITE-NOT:     __pagetide
; WRITE:         ret i32
entry:
  %w0 = zext i32 %i to i64
  %p0 = getelementptr i8, ptr %a, i64 %w0
  %x0 = load i8, ptr %p0, align 1
  %c0 = icmp eq i8 %x0, 0
  br i1 %c0, label %one, label %done

one:
  %i1 = add i32 %i, 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i8, ptr %a, i64 %w1
  %x1 = load i8, ptr %p1, align 1
  %c1 = icmp eq i8 %x1, 0
  br i1 %c1, label %three, label %done

three:
  %i3 = add i32 %i, 3
  %w3 = zext i32 %i3 to i64
  %p3 = getelementptr i8, ptr %a, i64 %w3
  %x3 = load i8, ptr %p3, align 1
  %c3 = zext i8 %x3 to i32
  br label %done

done:
  %r = phi i32 [ 0, %entry ], [ 1, %one ], [ %c3, %three ]
  ret i32 %r
}

; The first access's own sum may have wrapped: where it has, the others' places
; are counted from where it would be otherwise.
define void @first_wraps(ptr %a, i32 %i) {
; CHECK-LABEL: define void @first_wraps(
; CHECK:         icmp ugt i32 %i, -3
; CHECK:         [[FIRST:%.+]] = icmp ugt i32 %i, -2
; CHECK-NEXT:    select i1 [[FIRST]], i64 34359738368, i64 0
; CHECK-COUNT-2: call void @__pagetide_mark_may_read(ptr {{.+}}, i64 16)
; CHECK:         ret void
; WRITE-LABEL: define void @first_wraps(
; WRITE:         [[FIRST:%.+]] = icmp ugt i32 %i, -2
; WRITE-COUNT-2: call void @__pagetide_mark_may_write(ptr {{.+}}, i64 16)
; WRITE:         ret void
  %i1 = add i32 %i, 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i64, ptr %a, i64 %w1
  store i64 0, ptr %p1, align 8
  %i2 = add i32 %i, 2
  %w2 = zext i32 %i2 to i64
  %p2 = getelementptr i64, ptr %a, i64 %w2
  store i64 0, ptr %p2, align 8
  ret void
}

; A call between: what was checked before it no longer counts.
declare void @opaque()
define void @again(ptr %a, i32 %i) {
; WRITE-LABEL: define void @again(
; WRITE-COUNT-2: call void @__pagetide_mark_may_write(
; WRITE:         call void @opaque()
; WRITE-COUNT-2: call void @__pagetide_mark_may_write(
; WRITE-NOT:     __pagetide_mark_may
; WRITE:         ret void
  %i1 = add i32 %i, 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i8, ptr %a, i64 %w1
  store i8 0, ptr %p1, align 1
  call void @opaque()
  %i2 = add i32 %i, 2
  %w2 = zext i32 %i2 to i64
  %p2 = getelementptr i8, ptr %a, i64 %w2
  store i8 0, ptr %p2, align 1
  ret void
}

; One access that may wrap: its own mark costs as much.
define void @single(ptr %a, i32 %i) {
; CHECK-LABEL: define void @single(
; CHECK-NOT:     icmp
; CHECK:         ret void
  %w0 = zext i32 %i to i64
  %p0 = getelementptr i8, ptr %a, i64 %w0
  store i8 0, ptr %p0, align 1
  %i1 = add i32 %i, 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i8, ptr %a, i64 %w1
  store i8 0, ptr %p1, align 1
  ret void
}

; Far steps, signed ones and steps down have marks of their own.
define void @others(ptr %a, i32 %i) {
; CHECK-LABEL: define void @others(
; CHECK-NOT:     icmp
; CHECK-COUNT-4: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     icmp
; CHECK:         ret void
  %i1 = add i32 %i, 256
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr i8, ptr %a, i64 %w1
  store i8 0, ptr %p1, align 1
  %i2 = add i32 %i, 257
  %w2 = zext i32 %i2 to i64
  %p2 = getelementptr i8, ptr %a, i64 %w2
  store i8 0, ptr %p2, align 1
  %i3 = add i32 %i, 1
  %w3 = sext i32 %i3 to i64
  %p3 = getelementptr i8, ptr %a, i64 %w3
  store i8 0, ptr %p3, align 1
  %i4 = add i32 %i, -1
  %w4 = zext i32 %i4 to i64
  %p4 = getelementptr i8, ptr %a, i64 %w4
  store i8 0, ptr %p4, align 1
  ret void
}

; CHECK: [[$UNLIKELY]] = !{!"branch_weights", {{.*}}i32 1, i32 {{[0-9]+}}}
