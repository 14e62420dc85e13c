; Code for other targets is refused, not marked wrongly.

; RUN: not %opt -load-pass-plugin=%pass -passes=pagetide -mtriple=aarch64-unknown-linux-gnu -disable-output %s 2>&1 | FileCheck %s -DTRIPLE=aarch64-unknown-linux-gnu
; RUN: not %opt -load-pass-plugin=%pass -passes=pagetide -mtriple=i686-unknown-linux-gnu -disable-output %s 2>&1 | FileCheck %s -DTRIPLE=i686-unknown-linux-gnu
; RUN: not %opt -load-pass-plugin=%pass -passes=pagetide -mtriple=x86_64-unknown-linux-gnux32 -disable-output %s 2>&1 | FileCheck %s -DTRIPLE=x86_64-unknown-linux-gnux32
; RUN: not %opt -load-pass-plugin=%pass -passes=pagetide -mtriple=x86_64-pc-windows-msvc -disable-output %s 2>&1 | FileCheck %s -DTRIPLE=x86_64-pc-windows-msvc

; CHECK: error: Pagetide: the pass marks code for 64-bit x86 and ELF only; '{{.*}}unsupported-target.ll' is compiled for '[[TRIPLE]]'; compile it without this pass

define void @store(ptr %p) {
  store i32 0, ptr %p
  ret void
}
