; If a resolver's code cannot be separated for certain, the user is warned.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=access>,verify' -S %s 2>%t | FileCheck %s --check-prefix=CHECK
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@feature = global i32 0
@labels = internal constant [1 x ptr] [ptr blockaddress(@jumps, %target)]
@chosen = ifunc void (), ptr @resolve

; WARNING:     warning: Pagetide: an ifunc resolver runs 'resolve' before there is a shadow to mark, and it calls through a pointer; what it may call must have no marks
; WARNING:     warning: Pagetide: an ifunc resolver runs 'replaceable' {{.*}} it cannot be copied, so its accesses are marked nowhere
; WARNING:     warning: Pagetide: an ifunc resolver runs 'jumps' {{.*}} it cannot be copied, so its accesses are marked nowhere
; WARNING-NOT: warning

define internal ptr @resolve(ptr %unknown) {
  %a = call i32 %unknown()
  %b = call i32 @replaceable()
  %c = call i32 @jumps(i64 0)
  ret ptr null
}

; Another definition may replace it. A copy would not follow that.
define weak i32 @replaceable() {
; CHECK-LABEL: define weak i32 @replaceable(
; CHECK-NEXT:    load i32, ptr @feature
  %v = load i32, ptr @feature, align 4
  ret i32 %v
}

; Its table of labels serves one function only.
define i32 @jumps(i64 %i) {
; CHECK-LABEL: define i32 @jumps(
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i32
  %entry = getelementptr [1 x ptr], ptr @labels, i64 0, i64 %i
  %label = load ptr, ptr %entry, align 8
  indirectbr ptr %label, [label %target]
target:
  ret i32 0
}
