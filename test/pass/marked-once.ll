; However often the pass runs on a module, each access is marked once, and the
; module has one note and one constructor.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,pagetide,default<O2>,verify' -S %s | FileCheck %s --implicit-check-not=.note.pagetide

; Functions that come later have their marks from the later run.
; RUN: %opt -load-pass-plugin=%pass -passes=pagetide %s -o %t.1.bc
; RUN: echo 'target triple = "x86_64-unknown-linux-gnu" define void @later(ptr %%p) { store i32 0, ptr %%p ret void }' > %t.2.ll
; RUN: llvm-link %t.1.bc %t.2.ll -o %t.bc
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %t.bc | FileCheck %s --check-prefixes=CHECK,LATER --implicit-check-not=.note.pagetide

; Two marked modules make one of their notes and constructors.
; RUN: %opt -load-pass-plugin=%pass -passes=pagetide %t.2.ll -o %t.2.bc
; RUN: llvm-link %t.1.bc %t.2.bc -o %t.12.bc
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %t.12.bc | FileCheck %s --check-prefixes=CHECK,LATER --implicit-check-not=.note.pagetide

; Unless they differ. Then they cannot be linked, and under LTO, where linkers do
; not look at a symbol for that, the pass says so.
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<granule=13>' %t.2.ll -o %t.3.bc
; RUN: not llvm-link %t.1.bc %t.3.bc -o %t.13.bc 2>&1 | FileCheck %s --check-prefix=LINKER
; LINKER: '__pagetide_layout_precision_and_granule_must_agree': symbol multiply defined
; RUN: (cat %t.2.ll; echo '!llvm.module.flags = !{!0} !0 = !{i32 1, !"ThinLTO", i32 0}') > %t.3.ll
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<granule=13>' %t.3.ll -o %t.3.bc
; RUN: llvm-link %t.1.bc %t.3.bc -o %t.13.bc
; RUN: not %opt -load-pass-plugin=%pass -passes=pagetide -disable-output %t.13.bc 2>&1 | FileCheck %s --check-prefix=DIFFER
; DIFFER: error: Pagetide: parts of '{{.*}}' were marked with different layouts or granules; compile every file of a program with the same options of the pass
; RUN: llvm-link %t.2.ll %t.1.bc -o %t.21.bc
; RUN: not %opt -load-pass-plugin=%pass -passes='pagetide<granule=13>' -disable-output %t.21.bc 2>&1 | FileCheck %s --check-prefix=OTHER
; OTHER: error: Pagetide: parts of '{{.*}}' were marked with options other than layout=rw;granule=13;{{.*}}; compile every file

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: @pagetide.note{{.*}} section ".note.pagetide"
; CHECK-DAG: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @pagetide.module_ctor{{.*}}, ptr null }]

define i32 @load(ptr %p) {
; CHECK-LABEL: define {{.*}}i32 @load(
; CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    load i32
; CHECK-NEXT:    ret i32
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; LATER-LABEL: define void @later(
; LATER-COUNT-1: store volatile i8 1, ptr addrspace(256)
; LATER-NEXT:    store i32 0
; LATER-NEXT:    ret void
