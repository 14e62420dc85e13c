; Option marks=check: marks as ever, and between an access and the marks before
; it a call that looks for them. A call precedes the first of the marks that
; serve several accesses. The checks get its result.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<marks=check>,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: [[$PLACE:@.+]] = private unnamed_addr constant [7 x i8] c"object\00"
; CHECK-DAG: [[$LINE:@.+]] = private unnamed_addr constant [13 x i8] c"line (a.c:7)\00"

declare void @opaque()

define i32 @object(ptr %p) {
; CHECK-LABEL: define i32 @object(
; CHECK-NEXT:    [[BEGIN:%.+]] = alloca i64
; CHECK-NEXT:    [[NOW:%.+]] = call i64 @__pagetide_check_begin()
; CHECK-NEXT:    store i64 [[NOW]], ptr [[BEGIN]]
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[B1:%.+]] = load i64, ptr [[BEGIN]]
; CHECK-NEXT:    call void @__pagetide_check(ptr %p, i64 4, i32 1, i64 [[B1]], ptr [[$PLACE]])
; CHECK-NEXT:    %v = load i32, ptr %p
; CHECK-NEXT:    %q = getelementptr
; CHECK-NEXT:    [[B2:%.+]] = load i64, ptr [[BEGIN]]
; CHECK-NEXT:    call void @__pagetide_check(ptr %q, i64 4, i32 1, i64 [[B2]], ptr {{.+}})
; CHECK-NEXT:    %w = load i32, ptr %q
; CHECK-NEXT:    call void @opaque()
; CHECK-NEXT:    [[AGAIN:%.+]] = call i64 @__pagetide_check_begin()
; CHECK-NEXT:    store i64 [[AGAIN]], ptr [[BEGIN]]
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[B3:%.+]] = load i64, ptr [[BEGIN]]
; CHECK-NEXT:    call void @__pagetide_check(ptr %p, i64 4, i32 1, i64 [[B3]], ptr {{.+}})
; CHECK-NEXT:    %x = load i32, ptr %p
  %v = load i32, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 8
  %w = load i32, ptr %q, align 4
  call void @opaque()
  %x = load i32, ptr %p, align 4
  %a = add i32 %v, %w
  %b = add i32 %a, %x
  ret i32 %b
}

define <2 x i32> @lanes(ptr %p, <2 x i1> %mask) {
; CHECK-LABEL: define <2 x i32> @lanes(
; CHECK-NEXT:    [[BEGIN:%.+]] = alloca i64
; CHECK-NEXT:    [[NOW:%.+]] = call i64 @__pagetide_check_begin()
; CHECK-NEXT:    store i64 [[NOW]], ptr [[BEGIN]]
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         br i1
; CHECK:         [[B4:%.+]] = load i64, ptr [[BEGIN]]
; CHECK-NEXT:    call void @__pagetide_check(ptr {{.+}}, i64 4, i32 1, i64 [[B4]]
; CHECK:         br i1
; CHECK:         [[B5:%.+]] = load i64, ptr [[BEGIN]]
; CHECK-NEXT:    call void @__pagetide_check(ptr {{.+}}, i64 4, i32 1, i64 [[B5]]
; CHECK:         call <2 x i32> @llvm.masked.load
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}

; On another path, and in a chunk, the beginning is that of the marks.
define i32 @path(ptr %p, i1 %c) {
; CHECK-LABEL: define i32 @path(
; CHECK:         call i64 @__pagetide_check_begin()
; CHECK:       then:
; CHECK-NOT:     __pagetide_check_begin
; CHECK-NOT:     addrspace(256)
; CHECK:         call void @__pagetide_check(ptr %p
; CHECK-NEXT:    %b = load i32
  %a = load i32, ptr %p, align 4
  br i1 %c, label %then, label %else
then:
  %b = load i32, ptr %p, align 4
  %r = add i32 %a, %b
  ret i32 %r
else:
  ret i32 %a
}

define void @chunks(ptr %p, ptr %q, i64 %n) {
; CHECK-LABEL: define void @chunks(
; CHECK:       chunk:
; CHECK:         call i64 @__pagetide_check_begin()
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK:       body:
; CHECK-NOT:     __pagetide_check_begin
; CHECK:         call void @__pagetide_check(ptr %at
; CHECK-NEXT:    %to = load ptr, ptr %at
; CHECK-NOT:     __pagetide_check_begin
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         call void @__pagetide_check(ptr %to
; CHECK:         ret void
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr ptr, ptr %p, i64 %i
  %to = load ptr, ptr %at, align 8
  store i8 1, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

define void @line(ptr %p) !dbg !4 {
; CHECK-LABEL: define void @line(
; CHECK:         call void @__pagetide_check(ptr %p, i64 1, i32 2, i64 {{.+}}, ptr [[$LINE]]){{.*}}, !dbg
; CHECK-NEXT:    store i8 0, ptr %p
  store i8 0, ptr %p, !dbg !6
  ret void
}

declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "line", file: !1, line: 7, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !3)
!3 = !{}
!6 = !DILocation(line: 7, scope: !4)
