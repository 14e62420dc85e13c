; The index of a table may be unknown and yet be limited. If the table is aligned
; to what the index can reach, one mark serves all accesses, at an address that
; does not depend on the index. In a loop it is made once in a chunk. The pass
; aligns constant tables for it, where that is its module's to decide.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s --check-prefixes=CHECK,BOTH
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;precision=exact>,verify' -S %s | FileCheck %s --check-prefix=BOTH
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access;granule=9>,verify' -S %s | FileCheck %s --check-prefix=SMALL
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -pagetide-objects=0 -S %s | FileCheck %s --check-prefix=WITHOUT

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; BOTH-DAG: @table = internal constant [256 x i32] zeroinitializer, align 1024
; BOTH-DAG: @rows = internal constant [8 x [256 x i32]] zeroinitializer, align 1024
; BOTH-DAG: @variable = internal global [256 x i32] zeroinitializer, align 16
; BOTH-DAG: @small = internal global [100 x i32] zeroinitializer, align 16
; BOTH-DAG: @behind = internal global [64 x i32] zeroinitializer, align 16
; BOTH-DAG: @large = internal global [2048 x i32] zeroinitializer, align 16
; BOTH-DAG: @elsewhere = external dso_local global [256 x i32], align 16
; BOTH-DAG: @replaceable = weak global [256 x i32] zeroinitializer, align 16
; BOTH-DAG: @placed = internal global [256 x i32] zeroinitializer, section "mine", align 16
; BOTH-DAG: @text = private unnamed_addr constant [4 x i8] c"abc\00", align 1
; SMALL: @table = internal constant [256 x i32] zeroinitializer, align 16
; WITHOUT: @table = internal constant [256 x i32] zeroinitializer, align 16
@table = internal constant [256 x i32] zeroinitializer, align 16
@rows = internal constant [8 x [256 x i32]] zeroinitializer, align 16
@variable = internal global [256 x i32] zeroinitializer, align 16
@small = internal global [100 x i32] zeroinitializer, align 16
@behind = internal global [64 x i32] zeroinitializer, align 16
@large = internal global [2048 x i32] zeroinitializer, align 16
@elsewhere = external dso_local global [256 x i32], align 16
@replaceable = weak global [256 x i32] zeroinitializer, align 16
@placed = internal global [256 x i32] zeroinitializer, section "mine", align 16
@text = private unnamed_addr constant [4 x i8] c"abc\00", align 1

; Both accesses have the mark of the first, and so has the one behind the branch.
define i32 @share(i8 %i, i32 %j, i1 %more) {
; CHECK-LABEL: define i32 @share(
; CHECK:         [[INDEX:%.+]] = lshr i64 ptrtoint (ptr @table to i64), 9
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     store volatile
; CHECK:         ret i32
entry:
  %wide = zext i8 %i to i64
  %at = getelementptr inbounds [256 x i32], ptr @table, i64 0, i64 %wide
  %v = load i32, ptr %at, align 4
  %low = and i32 %j, 255
  %lowWide = zext nneg i32 %low to i64
  %second = getelementptr inbounds [256 x i32], ptr @table, i64 0, i64 %lowWide
  %w = load i32, ptr %second, align 4
  br i1 %more, label %then, label %end
then:
  %shifted = lshr i32 %j, 24
  %xored = xor i32 %shifted, %low
  %xoredWide = zext nneg i32 %xored to i64
  %third = getelementptr inbounds [256 x i32], ptr @table, i64 0, i64 %xoredWide
  store i32 %v, ptr %third, align 4
  br label %end
end:
  %sum = add i32 %v, %w
  ret i32 %sum
}

; The third and the fifth row, each with a mark at its beginning.
define i32 @two_rows(i8 %i) {
; CHECK-LABEL: define i32 @two_rows(
; CHECK:         lshr i64 {{.*}}ptrtoint (ptr @rows to i64){{.*}}2048{{.*}}, 9
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         lshr i64 {{.*}}ptrtoint (ptr @rows to i64){{.*}}4096{{.*}}, 9
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         ret i32
  %wide = zext i8 %i to i64
  %at = getelementptr inbounds [8 x [256 x i32]], ptr @rows, i64 0, i64 2, i64 %wide
  %v = load i32, ptr %at, align 4
  %other = getelementptr inbounds [8 x [256 x i32]], ptr @rows, i64 0, i64 4, i64 %wide
  %w = load i32, ptr %other, align 4
  %sum = add i32 %v, %w
  ret i32 %sum
}

; An end of the object is not a limit.
define i32 @unlimited(i64 %i) {
; BOTH-LABEL: define i32 @unlimited(
; BOTH:         [[BITS:%.+]] = ptrtoint ptr %at to i64
; BOTH:         lshr i64 [[BITS]]
  %at = getelementptr inbounds [100 x i32], ptr @small, i64 0, i64 %i
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

; The index reaches further than the next power of two from the object's size.
define i32 @far(i8 %i) {
; BOTH-LABEL: define i32 @far(
; BOTH:         [[BITS:%.+]] = ptrtoint ptr %at to i64
; BOTH:         lshr i64 [[BITS]]
  %wide = zext i8 %i to i64
  %at = getelementptr inbounds [64 x i32], ptr @behind, i64 0, i64 %wide
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

; What is reached has more bytes than a granule.
define i32 @wide(i32 %i) {
; BOTH-LABEL: define i32 @wide(
; BOTH:         [[BITS:%.+]] = ptrtoint ptr %at to i64
; BOTH:         lshr i64 [[BITS]]
  %low = and i32 %i, 2047
  %wide = zext i32 %low to i64
  %at = getelementptr inbounds [2048 x i32], ptr @large, i64 0, i64 %wide
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

; The index may be negative, so it may reach what lies before.
define i32 @before(i8 %i) {
; BOTH-LABEL: define i32 @before(
; BOTH:         [[BITS:%.+]] = ptrtoint ptr %at to i64
; BOTH:         lshr i64 [[BITS]]
  %wide = sext i8 %i to i64
  %at = getelementptr inbounds [256 x i32], ptr @table, i64 0, i64 %wide
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

define i32 @others(i8 %i) {
; BOTH-LABEL: define i32 @others(
; BOTH:         ptrtoint ptr %a to i64
; BOTH:         ptrtoint ptr %b to i64
; BOTH:         ptrtoint ptr %c to i64
; BOTH:         ptrtoint ptr %d to i64
  %wide = zext i8 %i to i64
  %a = getelementptr inbounds [256 x i32], ptr @elsewhere, i64 0, i64 %wide
  %va = load i32, ptr %a, align 4
  %b = getelementptr inbounds [256 x i32], ptr @replaceable, i64 0, i64 %wide
  %vb = load i32, ptr %b, align 4
  %c = getelementptr inbounds [256 x i32], ptr @placed, i64 0, i64 %wide
  %vc = load i32, ptr %c, align 4
  %two = and i64 %wide, 3
  %d = getelementptr inbounds [4 x i8], ptr @text, i64 0, i64 %two
  %vd = load i8, ptr %d, align 1
  %dw = zext i8 %vd to i32
  %ab = add i32 %va, %vb
  %cd = add i32 %vc, %dw
  %sum = add i32 %ab, %cd
  ret i32 %sum
}

; One mark of the table in a chunk, none in the loop.
define i32 @crc(ptr %p, i64 %n) {
; BOTH-LABEL: define i32 @crc(
; BOTH:       chunk:
; BOTH:         lshr i64 ptrtoint (ptr @table to i64)
; BOTH:         store volatile i8 1, ptr addrspace(256)
; BOTH:       body:
; BOTH-NOT:     store volatile
; BOTH:       chunk.end:
; BOTH-NOT:     store volatile
; BOTH:         ret i32
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %crc = phi i32 [ 0, %entry ], [ %new, %body ]
  %at = getelementptr i8, ptr %p, i64 %i
  %byte = load i8, ptr %at, align 1
  %old = trunc i32 %crc to i8
  %key = xor i8 %byte, %old
  %index = zext i8 %key to i64
  %entryAt = getelementptr inbounds [256 x i32], ptr @table, i64 0, i64 %index
  %word = load i32, ptr %entryAt, align 4
  %rest = lshr i32 %crc, 8
  %new = xor i32 %word, %rest
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret i32 %new
}

; Variables stay where they are.
define i32 @of_variable(i8 %byte) {
  %index = zext i8 %byte to i64
  %at = getelementptr [256 x i32], ptr @variable, i64 0, i64 %index
  %v = load i32, ptr %at, align 4
  ret i32 %v
}
