; Layouts with sites: a mark stores the id of its place, in a cell of four
; bytes. Without debug information a place is its function.

; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw-site;mode=always>,verify' -S %s -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=site;mode=always>,verify' -S %s | FileCheck %s --check-prefix=ONE
; RUN: not %opt -load-pass-plugin=%pass -passes='pagetide<layout=site;precision=near>' -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAR
; NEAR: layout site has one cell per granule, which cannot have precision near; leave out option precision

; Ids are the same in each compilation.
; RUN: %opt -load-pass-plugin=%pass -passes='pagetide<layout=rw-site;mode=always>' -S %s | cmp - %t.ll

; One shift, and one store: the processor scales the index.
; RUN: llc -O2 %t.ll -o - | FileCheck %s --check-prefix=ASM
; ASM-LABEL: copy:
; ASM:        shrq $12, [[INDEX:%r[a-z0-9]+]]
; ASM-NEXT:   movl ${{[0-9]+}}, %gs:2147418112(,[[INDEX]],8)
; ASM:        movl ${{[0-9]+}}, %gs:2147418116(,{{%r[a-z0-9]+}},8)
; ASM:        retq

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The module says what the ids mean: two texts, the function's name and no file.
; CHECK: @pagetide.record = {{.*}} i32 4, i32 12, i32 12, i32 0 }
; CHECK: @llvm.global_ctors = {{.*}}@pagetide.sites_ctor
; CHECK: @pagetide.sites = private constant {{.*}}\04copy\00\04fill{{.*}} section "pagetide_sites"
; CHECK: @llvm.global_dtors = {{.*}}@pagetide.sites_dtor
; ONE: @pagetide.record = {{.*}} i32 3, i32 12, i32 12, i32 0 }

; Both cells of an access name the same function.
define void @copy(ptr %to, ptr %from) {
; CHECK-LABEL: define void @copy(
; CHECK:         [[INDEX:%.+]] = lshr i64 %{{.+}}, 12
; CHECK-NEXT:    [[NUMBER:%.+]] = shl nuw i64 [[INDEX]], 3
; CHECK-NEXT:    [[PLACE:%.+]] = add i64 [[NUMBER]], 2147418112
; CHECK-NEXT:    [[CELL:%.+]] = inttoptr i64 [[PLACE]] to ptr addrspace(256)
; CHECK-NEXT:    store volatile i32 [[ID:[0-9]+]], ptr addrspace(256) [[CELL]], align 4
; CHECK-NEXT:    load i8
; CHECK:         add i64 %{{.+}}, 2147418116
; CHECK:         store volatile i32 [[ID]], ptr addrspace(256) %{{.+}}, align 4
; CHECK:         ret void
; ONE-LABEL: define void @copy(
; ONE:         shl nuw i64 %{{.+}}, 2
; ONE-NEXT:    add i64 %{{.+}}, 2147418112
; ONE:         store volatile i32 {{[0-9]+}}, ptr addrspace(256)
  %a = load i8, ptr %from
  store i8 %a, ptr %to
  ret void
}

; What the runtime marks gets the site too.
define void @fill(ptr %p, i64 %n) {
; CHECK-LABEL: define void @fill(
; CHECK:         call ptr @__pagetide_call.memset_at(ptr %p, i32 1, i64 %n, i32 {{[0-9]+}})
  call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 %n, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK: define internal void @pagetide.sites_ctor()
; CHECK:   call void @__pagetide_add_sites(ptr @pagetide.sites, i64 {{[0-9]+}})
; CHECK: define internal void @pagetide.sites_dtor()
; CHECK:   call void @__pagetide_remove_sites(ptr @pagetide.sites)
