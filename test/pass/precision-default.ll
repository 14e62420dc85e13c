; Which precision is used if none is requested: near for granules of 4 KiB (the
; default), exact for finer and coarser ones. If near is requested, it is near,
; or an error if that is impossible. The note in the object names the precision.
;
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write>,verify' -S %s | FileCheck %s --check-prefix=NEAR
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;precision=auto>,verify' -S %s | FileCheck %s --check-prefix=NEAR
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;precision=near>,verify' -S %s | FileCheck %s --check-prefix=NEAR
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;precision=exact>,verify' -S %s | FileCheck %s -DSHIFT=12 --check-prefix=EXACT
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;granule=6>,verify' -S %s | FileCheck %s -DSHIFT=6 --check-prefix=EXACT
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;granule=11>,verify' -S %s | FileCheck %s -DSHIFT=11 --check-prefix=EXACT
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;granule=21>,verify' -S %s | FileCheck %s -DSHIFT=21 --check-prefix=EXACT
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;granule=21;precision=near>,verify' -S %s | FileCheck %s --check-prefix=COARSE
; RUN: not %opt -load-pass-plugin=%pass -passes='pagetide<granule=6;precision=near>' -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FINE
; FINE: option precision=near has cells of 2^8 bytes and needs a granule of 11 or more, not 6

; The note: version, layout, cell, granule, flags.
; NEAR: i32 6, i32 2, i32 8, i32 12, i32 0
; NEAR: lshr i64 %{{.*}}, 8
; EXACT: i32 6, i32 2, i32 [[SHIFT]], i32 [[SHIFT]], i32 0
; EXACT: lshr i64 %{{.*}}, [[SHIFT]]
; COARSE: i32 6, i32 2, i32 8, i32 21, i32 0
; COARSE: lshr i64 %{{.*}}, 8

target triple = "x86_64-unknown-linux-gnu"

define void @two(ptr %p) {
  store i64 1, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 40
  store i64 2, ptr %q, align 8
  ret void
}
