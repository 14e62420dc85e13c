; Padding is neither loaded nor stored: an access ends with its last field.

; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s | FileCheck %s
; RUN: %opt_exact -load-pass-plugin=%pass -passes='pagetide<layout=access;granule=6>,verify' -S %s | FileCheck %s --check-prefix=FINE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Bytes 0 to 7 and 8; 9 to 15 are padding.
define { i64, i8 } @trailing(ptr %p) {
; CHECK-LABEL: define { i64, i8 } @trailing(
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 8{{$}}
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load { i64, i8 }, ptr %p, align 1
  %v = load { i64, i8 }, ptr %p, align 1
  ret { i64, i8 } %v
}

; With 64 bytes of padding between them, the fields are accesses of their own.
define void @between({ i8, <16 x i32> } %v, ptr %p) {
; FINE-LABEL: define void @between(
; FINE:         [[FIRST:%.+]] = ptrtoint ptr %p to i64
; FINE-NEXT:    lshr i64 [[FIRST]], 6
; FINE:         store volatile i8 1
; FINE:         [[SECOND:%.+]] = add i64 {{%.+}}, 64
; FINE-NEXT:    lshr i64 [[SECOND]], 6
; FINE:         store volatile i8 1
; FINE-NEXT:    store { i8, <16 x i32> } %v, ptr %p, align 64
  store { i8, <16 x i32> } %v, ptr %p, align 64
  ret void
}

define [3 x i16] @array(ptr %p) {
; CHECK-LABEL: define [3 x i16] @array(
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 5{{$}}
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load [3 x i16], ptr %p, align 2
  %v = load [3 x i16], ptr %p, align 2
  ret [3 x i16] %v
}

define [2 x { i16, i8 }] @array_of_structs(ptr %p) {
; CHECK-LABEL: define [2 x { i16, i8 }] @array_of_structs(
; CHECK:         store volatile i8 1
; CHECK:         add i64 {{%.+}}, 6{{$}}
; CHECK:         store volatile i8 1
; CHECK-NEXT:    load [2 x { i16, i8 }], ptr %p, align 1
  %v = load [2 x { i16, i8 }], ptr %p, align 1
  ret [2 x { i16, i8 }] %v
}

define {} @nothing(ptr %p) {
; CHECK-LABEL: define {} @nothing(
; CHECK-NEXT:    load volatile {}, ptr %p
  %v = load volatile {}, ptr %p
  ret {} %v
}
