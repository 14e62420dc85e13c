; Texts of inline assembly are read one after the other, as they stand in the
; object file, behind the module's own. One that cannot be read stays alone.

; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide,verify' -S %s | FileCheck %s
; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide' %s | llc -filetype=null

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".macro OF_MODULE reg"
module asm "nop"
module asm ".endm"
module asm "of_module: nop"

; CHECK-DAG: define internal void @uses_macro_of_module.pagetide(
define void @uses_macro_of_module(ptr %p) {
  call void asm sideeffect "OF_MODULE $0", "r"(ptr %p)
  store i8 1, ptr %p
  ret void
}

; CHECK-DAG: define void @defines_macro(
; CHECK-DAG: define internal void @uses_macro_of_other.pagetide(
define void @defines_macro(ptr %p) {
  call void asm sideeffect ".macro OF_FUNCTION reg\0Anop\0A.endm", ""()
  store i8 1, ptr %p
  ret void
}
define void @uses_macro_of_other(ptr %p) {
  call void asm sideeffect "OF_FUNCTION ${0:q}", "r"(ptr %p)
  store i8 1, ptr %p
  ret void
}

; CHECK-DAG: define internal void @asks_for_symbol.pagetide(
define void @asks_for_symbol(ptr %p) {
  call void asm sideeffect ".ifndef of_module\0Aof_module: nop\0A.endif", ""()
  store i8 1, ptr %p
  ret void
}

; The private prefix and the number of the copy.
; CHECK-DAG: define internal void @private_label.pagetide(
define void @private_label(ptr %p) {
  call void asm sideeffect "${:private}here${:uid}: nop $(# att$|# intel$)", ""()
  store i8 1, ptr %p
  ret void
}

; CHECK-DAG: define internal void @intel.pagetide(
define void @intel(ptr %p) {
  call void asm sideeffect inteldialect "mov byte ptr [$0 + 1], 2", "r,~{memory}"(ptr %p)
  store i8 1, ptr %p
  ret void
}

; CHECK-NOT: @defines_macro.pagetide
