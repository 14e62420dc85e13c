; The type of a scalable vector does not say how many bytes it has. Such accesses
; are not marked, and each place is named. (x86 has no such vectors: no code is
; made of this.)

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S %s 2>%t | FileCheck %s --check-prefix=CHECK
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=write>' -disable-output %s 2>%t.write
; RUN: FileCheck %s --check-prefix=WRITE --input-file=%t.write

target triple = "x86_64-unknown-linux-gnu"

; WARNING: warning: vectors.c:7: Pagetide: an access in function 'copied' is not marked, because its type does not say how many bytes it has
; WARNING: warning: vectors.c:8: Pagetide: an access in function 'copied' is not marked
; WARNING: warning: Pagetide: an access in function 'of_structure' is not marked
; WARNING: warning: Pagetide: an access in function 'by_assembly' is not marked
; WARNING: warning: Pagetide: the memory that 'llvm.masked.store.nxv4i32.p0' touches in function 'masked' is not marked
; WARNING-NOT: warning

; WRITE-NOT: vectors.c:7:
; WRITE: vectors.c:8: Pagetide: an access in function 'copied' is not marked

; CHECK-LABEL: define void @copied(
; CHECK-NEXT:    load <vscale x 4 x i32>
; CHECK-NEXT:    store <vscale x 4 x i32>
define void @copied(ptr %to, ptr %from) !dbg !4 {
  %v = load <vscale x 4 x i32>, ptr %from, !dbg !5
  store <vscale x 4 x i32> %v, ptr %to, !dbg !6
  ret void
}

; What has a size is marked beside it.
; CHECK-LABEL: define void @of_structure(
; CHECK:         store volatile
; CHECK:         store i32 3, ptr %to
define void @of_structure({<vscale x 2 x double>, <vscale x 2 x double>} %v, ptr %to) {
  store {<vscale x 2 x double>, <vscale x 2 x double>} %v, ptr %to
  store i32 3, ptr %to
  ret void
}

define void @by_assembly(ptr %to) {
  call void asm "nop", "=*m"(ptr elementtype(<vscale x 4 x i32>) %to)
  ret void
}

define void @masked(ptr %to, <vscale x 4 x i32> %v, <vscale x 4 x i1> %mask) {
  call void @llvm.masked.store.nxv4i32.p0(<vscale x 4 x i32> %v, ptr %to, i32 4, <vscale x 4 x i1> %mask)
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "vectors.c", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "copied", file: !1, line: 6, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, scope: !4)
!6 = !DILocation(line: 8, scope: !4)
