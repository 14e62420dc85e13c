; va_start and va_copy touch a va_list as the target lays it out. va_arg is taken
; apart into loads and stores, each with its mark.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide,verify' -S %s 2>%t | FileCheck %s --check-prefix=CHECK
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.va_start(ptr)
declare void @llvm.va_copy(ptr, ptr)
declare void @llvm.va_end(ptr)

define void @start(ptr %list, ...) {
; CHECK-LABEL: define void @start(
; CHECK:         add i64 {{%.+}}, 2147418113
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 23{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.va_start
; CHECK-NEXT:    call void @llvm.va_end
; CHECK-NEXT:    ret void
  call void @llvm.va_start(ptr %list)
  call void @llvm.va_end(ptr %list)
  ret void
}

define void @copy(ptr %to, ptr %from) {
; CHECK-LABEL: define void @copy(
; CHECK-NEXT:    ptrtoint ptr %from
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 23{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    ptrtoint ptr %to
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         add i64 {{%.+}}, 23{{$}}
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.va_copy
  call void @llvm.va_copy(ptr %to, ptr %from)
  ret void
}

; Windows: a va_list is a pointer.
define win64cc void @windows_start(ptr %list, ...) {
; CHECK-LABEL: define win64cc void @windows_start(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    call void @llvm.va_start
  call void @llvm.va_start(ptr %list)
  ret void
}

define i32 @next_int(ptr %list) {
; CHECK-LABEL: define i32 @next_int(
; CHECK:         [[OFFSET_PLACE:%.+]] = getelementptr i8, ptr %list, i64 0
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[OFFSET:%.+]] = load i32, ptr [[OFFSET_PLACE]], align 4
; CHECK-NEXT:    [[SAVED:%.+]] = icmp ule i32 [[OFFSET]], 40
; CHECK-NEXT:    br i1 [[SAVED]], label %[[IN_AREA:.+]], label %[[ON_STACK:.+]]
; CHECK:       [[IN_AREA]]:
; CHECK:         [[AREA_PLACE:%.+]] = getelementptr i8, ptr %list, i64 16
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[AREA:%.+]] = load ptr, ptr [[AREA_PLACE]], align 8
; CHECK:         [[FROM_AREA:%.+]] = getelementptr i8, ptr [[AREA]], i64
; CHECK:         [[MOVED:%.+]] = add i32 [[OFFSET]], 8
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 [[MOVED]], ptr [[OFFSET_PLACE]], align 4
; CHECK:       [[ON_STACK]]:
; CHECK:         [[STACK_PLACE:%.+]] = getelementptr i8, ptr %list, i64 8
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[FROM_STACK:%.+]] = load ptr, ptr [[STACK_PLACE]], align 8
; CHECK:         [[NEXT:%.+]] = getelementptr i8, ptr [[FROM_STACK]], i64 8
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store ptr [[NEXT]], ptr [[STACK_PLACE]], align 8
; CHECK:         [[PLACE:%.+]] = phi ptr [ [[FROM_AREA]], %[[IN_AREA]] ], [ [[FROM_STACK]], %[[ON_STACK]] ]
; CHECK-NEXT:    ptrtoint ptr [[PLACE]]
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    [[VALUE:%.+]] = load i32, ptr [[PLACE]]
; CHECK-NEXT:    ret i32 [[VALUE]]
  %v = va_arg ptr %list, i32
  ret i32 %v
}

; Floating point: the other offset, and 16 bytes a register.
define double @next_double(ptr %list) {
; CHECK-LABEL: define double @next_double(
; CHECK:         getelementptr i8, ptr %list, i64 4
; CHECK:         icmp ule i32 {{%.+}}, 160
; CHECK:         add i32 {{%.+}}, 16
; CHECK:         load double
  %v = va_arg ptr %list, double
  ret double %v
}

define win64cc i64 @windows_next(ptr %list) {
; CHECK-LABEL: define win64cc i64 @windows_next(
; CHECK-NOT:     br
; CHECK:         [[PLACE:%.+]] = load ptr, ptr %list, align 8
; CHECK:         [[NEXT:%.+]] = getelementptr i8, ptr [[PLACE]], i64 8
; CHECK:         store ptr [[NEXT]], ptr %list, align 8
; CHECK:         load i64, ptr [[PLACE]]
  %v = va_arg ptr %list, i64
  ret i64 %v
}

; WARNING: warning: Pagetide: what a va_arg instruction of this type touches in function 'next_wide' is not marked
define i128 @next_wide(ptr %list) {
; CHECK-LABEL: define i128 @next_wide(
; CHECK-NEXT:    va_arg ptr %list, i128
  %v = va_arg ptr %list, i128
  ret i128 %v
}
