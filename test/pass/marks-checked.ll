; Option marks=check: marks as ever, and between an access and the marks before
; it a call that looks for them. Each segment, in which marks serve several
; accesses, begins with a call whose result the checks get.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<marks=check>,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: [[$PLACE:@.+]] = private unnamed_addr constant [7 x i8] c"object\00"
; CHECK-DAG: [[$LINE:@.+]] = private unnamed_addr constant [13 x i8] c"line (a.c:7)\00"

declare void @opaque()

define i32 @object(ptr %p) {
; CHECK-LABEL: define i32 @object(
; CHECK-NEXT:    [[BEGIN:%.+]] = call i64 @__pagetide_check_begin()
; CHECK-COUNT-2: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @__pagetide_check(ptr %p, i64 4, i32 1, i64 [[BEGIN]], ptr [[$PLACE]])
; CHECK-NEXT:    %v = load i32, ptr %p
; CHECK-NEXT:    %q = getelementptr
; CHECK-NEXT:    call void @__pagetide_check(ptr %q, i64 4, i32 1, i64 [[BEGIN]], ptr {{.+}})
; CHECK-NEXT:    %w = load i32, ptr %q
; CHECK-NEXT:    call void @opaque()
; CHECK-NEXT:    [[AGAIN:%.+]] = call i64 @__pagetide_check_begin()
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @__pagetide_check(ptr %p, i64 4, i32 1, i64 [[AGAIN]], ptr {{.+}})
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
; CHECK-NEXT:    [[BEGIN:%.+]] = call i64 @__pagetide_check_begin()
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         br i1
; CHECK:         call void @__pagetide_check(ptr {{.+}}, i64 4, i32 1, i64 [[BEGIN]]
; CHECK:         br i1
; CHECK:         call void @__pagetide_check(ptr {{.+}}, i64 4, i32 1, i64 [[BEGIN]]
; CHECK:         call <2 x i32> @llvm.masked.load
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
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
