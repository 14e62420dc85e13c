; What a module says of itself: an ELF note, a copy of it that is no note, and a
; constructor that runs first. The constructor does not need the note, since a
; linker script or strip may remove notes. What follows the pass must keep it.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write;granule=16>,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: llc -filetype=obj -o %t.o %t.ll
; RUN: llvm-readelf -n -S %t.o | FileCheck %s --check-prefix=ELF

; Nothing to mark, nothing to say.
; RUN: echo 'target triple = "x86_64-unknown-linux-gnu" declare void @f()' | %opt -load-pass-plugin=%pass -passes=pagetide -S | FileCheck %s --check-prefix=NOTHING
; NOTHING-NOT: pagetide

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Constructors of one priority run as their list and the program's own pointers
; stand among the variables. The list stays where it was.
; CHECK: @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @constructor, ptr null }, { i32, ptr, ptr } { i32 0, ptr @pagetide.module_ctor, ptr null }]
; CHECK-NEXT: @object = global i32 0
; CHECK: @pagetide.note = private constant { i32, i32, i32, [12 x i8], { i32, i32, i32, i32, i32 }, i32 } { i32 9, i32 24, i32 1, [12 x i8] c"Pagetide\00\00\00\00", { i32, i32, i32, i32, i32 } { i32 6, i32 2, i32 16, i32 16, i32 0 }, i32 trunc (i64 sub (i64 ptrtoint (ptr @pagetide.record to i64), i64 ptrtoint (ptr getelementptr inbounds ({ i32, i32, i32, [12 x i8], { i32, i32, i32, i32, i32 }, i32 }, ptr @pagetide.note, i32 0, i32 5) to i64)) to i32) }, section ".note.pagetide", no_sanitize_address, no_sanitize_hwaddress, align 4
; CHECK: @pagetide.record = private constant { i32, i32, i32, [12 x i8], { i32, i32, i32, i32, i32 }, i32 } { i32 9, i32 24, i32 1, [12 x i8] c"Pagetide\00\00\00\00", { i32, i32, i32, i32, i32 } { i32 6, i32 2, i32 16, i32 16, i32 0 }, i32 0 }, code_model "small", no_sanitize_address, no_sanitize_hwaddress, align 4
; CHECK: @llvm.compiler.used = appending global [1 x ptr] [ptr @pagetide.note]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @constructor, ptr null }]
@object = global i32 0

; Of objects with one layout, precision and granule the linker keeps one symbol.
; CHECK: @__pagetide_layout_precision_and_granule_must_agree = hidden constant i8 0, comdat($__pagetide_settings.100798480)
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @__pagetide_layout_precision_and_granule_must_agree]

; An ordinary constructor has marks.
define internal void @constructor() {
; CHECK-LABEL: define internal void @constructor(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    store i32 1, ptr @object
  store i32 1, ptr @object, align 4
  ret void
}

; CHECK: define internal void @pagetide.module_ctor() [[$CONSTRUCTOR:#[0-9]+]]
; CHECK-NEXT:    call void @__pagetide_module_init_v6(ptr @pagetide.record)
; CHECK-NEXT:    ret void
; CHECK:       attributes [[$CONSTRUCTOR]] = { disable_sanitizer_instrumentation nounwind "pagetide-module-constructor" }

; A note that is loaded with the program.
; ELF: .init_array.0 INIT_ARRAY
; ELF: .note.pagetide NOTE {{[0-9a-f]+}} {{[0-9a-f]+}} 000030 00 A 0 0 4
; ELF: Displaying notes found in: .note.pagetide
; ELF: Pagetide 0x00000018
; ELF-NEXT: description data: 06 00 00 00 02 00 00 00 10 00 00 00 10 00 00 00 00 00 00 00
