; Accesses of more bytes than a granule has: every granule between the first and
; the last byte is touched and marked. Very long ones are marked by the runtime.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<granule=6;layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<granule=6;layout=write>,verify' -S %s | FileCheck %s --check-prefix=WRITE
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<granule=6;layout=rw>,verify' -S %s | FileCheck %s --check-prefix=RW

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; 128 bytes from a border on: two granules.
define <16 x i64> @aligned(ptr %p) {
; CHECK-LABEL: define <16 x i64> @aligned(
; CHECK-NEXT:    [[A0:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[I0:%.+]] = lshr i64 [[A0]], 6
; CHECK:         store volatile i8 1
; CHECK-NEXT:    [[A1:%.+]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    [[B1:%.+]] = add i64 [[A1]], 64
; CHECK-NEXT:    [[I1:%.+]] = lshr i64 [[B1]], 6
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load <16 x i64>, ptr %p, align 128
  %v = load <16 x i64>, ptr %p, align 128
  ret <16 x i64> %v
}

; 128 bytes from anywhere: up to three.
define <16 x i64> @unaligned(ptr %p) {
; CHECK-LABEL: define <16 x i64> @unaligned(
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 64
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 127
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load <16 x i64>, ptr %p, align 8
  %v = load <16 x i64>, ptr %p, align 8
  ret <16 x i64> %v
}

; 512 bytes.
define void @long_store(ptr %p) {
; CHECK-LABEL: define void @long_store(
; CHECK-NEXT:    call void @__pagetide_mark_write(ptr %p, i64 512) {{.*}}!nosanitize
; CHECK-NEXT:    store <64 x i64>
; WRITE-LABEL: define void @long_store(
; WRITE:         call void @__pagetide_mark_write(ptr %p, i64 512)
; WRITE-NEXT:    store <64 x i64>
; RW-LABEL: define void @long_store(
; RW-NOT:      @__pagetide_mark_read
; RW:          call void @__pagetide_mark_write(ptr %p, i64 512)
; RW-NEXT:     store <64 x i64>
  store <64 x i64> zeroinitializer, ptr %p, align 8
  ret void
}

define <64 x i64> @long_load(ptr %p) {
; CHECK-LABEL: define <64 x i64> @long_load(
; CHECK:         call void @__pagetide_mark_read(ptr %p, i64 512)
; CHECK-NEXT:    load <64 x i64>
; WRITE-LABEL: define <64 x i64> @long_load(
; WRITE-NEXT:    load <64 x i64>
; RW-LABEL: define <64 x i64> @long_load(
; RW-NOT:      @__pagetide_mark_write
; RW:          call void @__pagetide_mark_read(ptr %p, i64 512)
; RW-NEXT:     load <64 x i64>
  %v = load <64 x i64>, ptr %p, align 8
  ret <64 x i64> %v
}
