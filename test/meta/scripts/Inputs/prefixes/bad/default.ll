; RUN: opt %s | FileCheck %s
; CHECK-LABEL: define
; CHEKC-NEXT: ret
