; Mode on-demand: each function has a plain and a marked copy. Machine code in
; front of the plain one tests the byte of its linked file, and jumps to the marked
; one. Nothing else of the plain copy differs from the function.

; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide<precision=exact;layout=write>,verify' -S %s | FileCheck %s --implicit-check-not='ptrtoint (ptr @__pagetide_marks_on'
; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide,pagetide,verify' -S %s | FileCheck %s --check-prefix=ONCE
; RUN: %opt_demand -load-pass-plugin=%pass -passes='pagetide<layout=write;frames>,verify' -S %s | FileCheck %s --check-prefix=FRAMES

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Not in a comdat: a file whose symbols objcopy made local keeps its own byte.
; CHECK-DAG: @__pagetide_marks_on = weak hidden global i8 0, section ".data.__pagetide_marks_on", code_model "small", no_sanitize_address, no_sanitize_hwaddress, align 1
; The record tells the runtime where the byte is.
; CHECK-DAG: @pagetide.record = {{.*}} i32 2 }, i32 trunc (i64 sub (i64 ptrtoint (ptr @__pagetide_marks_on to i64), i64 ptrtoint (ptr getelementptr inbounds ({{.*}}, ptr @pagetide.record, i32 0, i32 5) to i64)) to i32) }

$inline = comdat any
$weak = comdat any

@state = internal global i32 0
@labels = internal constant [2 x ptr] [ptr blockaddress(@jumps, %one), ptr blockaddress(@jumps, %two)]
; CHECK-DAG: @labels = internal constant [2 x ptr] [ptr blockaddress(@jumps, %one), ptr blockaddress(@jumps, %two)]
; CHECK-DAG: @labels.pagetide = internal constant [2 x ptr] [ptr blockaddress(@jumps.pagetide, %one), ptr blockaddress(@jumps.pagetide, %two)]
@shared = global [2 x ptr] [ptr blockaddress(@leaks, %one), ptr blockaddress(@leaks, %two)]
@other_name = dso_local alias void (), ptr @external
; CHECK-DAG: @other_name = dso_local alias void (), ptr @external

; ONCE: define void @passes_by_value({{.*}} prologue {{.*}}@__pagetide_marks_on
; ONCE: define internal void @external.pagetide()
; ONCE-NOT: .pagetide.pagetide

; CHECK-LABEL: define dso_local void @external()
; CHECK-SAME:    prologue <{ [2 x i8], i32, [3 x i8], i32 }> <{ [2 x i8] c"\80=", i32 trunc (i64 sub (i64 ptrtoint (ptr @__pagetide_marks_on to i64), i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @external, i64 7) to i64)) to i32), [3 x i8] c"\00\0F\85", i32 trunc (i64 sub (i64 ptrtoint (ptr @external.pagetide to i64), i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @external, i64 13) to i64)) to i32) }> {
; CHECK-NEXT:    alloca [8 x i8]
; CHECK-NEXT:    alloca [16 x i8]
; CHECK-NEXT:    store i32 1, ptr @state
; CHECK-NEXT:    %[[V:.*]] = alloca [64 x i8]
; CHECK-NEXT:    store i8 7, ptr %[[V]]
; CHECK-NEXT:    call void @local(ptr %[[V]])
; CHECK-NEXT:    ret void
define dso_local void @external() {
  alloca [8 x i8]
  alloca [16 x i8]
  store i32 1, ptr @state
  %v = alloca [64 x i8]
  store i8 7, ptr %v
  call void @local(ptr %v)
  ret void
}

; Only the two copies of @external call it, so it has no test.
; CHECK-LABEL: define internal void @local(
; CHECK-NEXT:    store volatile i64 3, ptr
define internal void @local(ptr %p) {
  store volatile i64 3, ptr %p
  ret void
}

; Code without marks calls it too.
; CHECK-LABEL: define internal void @called_by_excluded(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define internal void @called_by_excluded(ptr %p) {
  store i64 3, ptr %p
  ret void
}
; CHECK-LABEL: define void @excluded(
; CHECK-NEXT:    call void @called_by_excluded(
define void @excluded(ptr %p) disable_sanitizer_instrumentation {
  call void @called_by_excluded(ptr %p)
  ret void
}

; A copy in the same file may not stand for one that the linker or the loader
; replaces.
; CHECK-LABEL: define void @preemptible(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define void @preemptible(ptr %p) {
  store i64 3, ptr %p
  ret void
}
; CHECK-LABEL: define weak dso_local void @weak(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define weak dso_local void @weak(ptr %p) comdat {
  store i64 3, ptr %p
  ret void
}
; CHECK-LABEL: define linkonce_odr dso_local void @inline(
; CHECK-SAME:    comdat prologue {{.*}}@__pagetide_marks_on
define linkonce_odr dso_local void @inline(ptr %p) comdat {
  store i64 3, ptr %p
  ret void
}
; CHECK-LABEL: define dso_local void @calls(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define dso_local void @calls(ptr %p) {
  store i8 1, ptr %p
  call void @external()
  call void @other_name()
  call void @preemptible(ptr %p)
  call void @weak(ptr %p)
  call void @inline(ptr %p)
  ret void
}

; Nothing to mark: one copy without a test.
; CHECK-LABEL: define i32 @pure(
; CHECK-NEXT:    add
define i32 @pure(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}

; Neither is there in a function that only calls. What it calls tests.
; CHECK-LABEL: define i32 @forwards(i32 %x) #
; CHECK-NEXT:    call i32 @llvm.smax
; CHECK-NEXT:    call i32 @forwarded(
; CHECK-LABEL: define internal i32 @forwarded(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define i32 @forwards(i32 %x) {
  %y = call i32 @llvm.smax.i32(i32 %x, i32 1)
  %z = call i32 @forwarded(i32 %y)
  ret i32 %z
}
define internal i32 @forwarded(i32 %x) {
  store i32 %x, ptr @state
  ret i32 %x
}
declare i32 @llvm.smax.i32(i32, i32)

; Calls that touch memory (by value: not under write), or are other calls in marked code.
define void @passes_by_value(ptr %p) {
  call void @by_value(ptr byval([5 x i64]) %p)
  ret void
}
; CHECK-LABEL: define i64 @calls_libc(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define i64 @calls_libc(ptr %p) {
  %n = call i64 @strlen(ptr %p)
  ret i64 %n
}
declare i64 @strlen(ptr)
; CHECK-LABEL: define ptr @calls_what_becomes_a_store(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define ptr @calls_what_becomes_a_store(ptr %p, ptr %q) {
  %n = call ptr @stpcpy(ptr %p, ptr %q)
  ret ptr %n
}
declare ptr @stpcpy(ptr, ptr)
; CHECK-LABEL: define i64 @calls_what_may_be_libc(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define i64 @calls_what_may_be_libc(ptr %f, ptr %p) {
  %n = call i64 %f(ptr %p)
  ret i64 %n
}
; CHECK-LABEL: define i32 @saves_registers(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define i32 @saves_registers(ptr %p) {
  %n = call i32 @_setjmp(ptr %p) returns_twice
  ret i32 %n
}
declare i32 @_setjmp(ptr) returns_twice
; FRAMES-LABEL: define i32 @forwards(
; FRAMES-SAME:    prologue {{.*}}@__pagetide_marks_on

; CHECK-LABEL: define dso_local i32 @variadic(ptr %r, i32 %n, ...)
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define dso_local i32 @variadic(ptr %r, i32 %n, ...) {
  store i64 1, ptr %r
  ret i32 1
}

; A structure on the stack stays where the caller put it.
; CHECK-LABEL: define dso_local void @by_value(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
; CHECK-NEXT:    store i64 1, ptr %r
define dso_local void @by_value(ptr byval([5 x i64]) %r) ssp {
  store i64 1, ptr %r
  ret void
}

; CHECK-LABEL: define dso_local void @jumps(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
; CHECK:         getelementptr {{.*}} @labels,
define dso_local void @jumps(i64 %i, ptr %p) {
  %q = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %i
  %l = load ptr, ptr %q
  indirectbr ptr %l, [label %one, label %two]
one:
  store i8 1, ptr %p
  ret void
two:
  ret void
}

; These exist once. So each mark tests the byte.
; CHECK-LABEL: define dso_local void @leaks(
; CHECK:         %[[ON:.*]] = load volatile i8, ptr @__pagetide_marks_on
; CHECK-NEXT:    %[[IS:.*]] = icmp ne i8 %[[ON]], 0
; CHECK-NEXT:    br i1 %[[IS]], label %[[MARK:.*]], label %[[ACCESS:.*]], !prof
; CHECK:       [[MARK]]:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
define dso_local void @leaks(i64 %i, ptr %p) {
  %q = getelementptr [2 x ptr], ptr @shared, i64 0, i64 %i
  %l = load ptr, ptr %q
  indirectbr ptr %l, [label %one, label %two]
one:
  store i8 1, ptr %p
  ret void
two:
  ret void
}
; CHECK-LABEL: define dso_local void @defines_a_symbol(
; CHECK:         %[[ON:.*]] = load volatile i8, ptr @__pagetide_marks_on
; CHECK-NEXT:    %[[IS:.*]] = icmp ne i8 %[[ON]], 0
; CHECK-NEXT:    br i1 %[[IS]], label %[[MARK:.*]], label %[[ACCESS:.*]], !prof
; CHECK:       [[MARK]]:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
define dso_local void @defines_a_symbol(ptr %p) {
  call void asm sideeffect "nop\0Ahere: nop", ""()
  store i8 1, ptr %p
  ret void
}
; CHECK-LABEL: define dso_local void @duplicates_nothing(
; CHECK:         %[[ON:.*]] = load volatile i8, ptr @__pagetide_marks_on
; CHECK-NEXT:    %[[IS:.*]] = icmp ne i8 %[[ON]], 0
; CHECK-NEXT:    br i1 %[[IS]], label %[[MARK:.*]], label %[[ACCESS:.*]], !prof
; CHECK:       [[MARK]]:
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NEXT:    br label %[[ACCESS]]
; CHECK:       [[ACCESS]]:
define dso_local void @duplicates_nothing(ptr %p) {
  call void @once() noduplicate
  store i8 1, ptr %p
  ret void
}
declare void @once()

; So does what is cold: a second copy would be seldom worth its place. Loops have no chunks.
; CHECK-LABEL: define dso_local void @cold(
; CHECK:         load volatile i8, ptr @__pagetide_marks_on
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-NOT:     phi
; CHECK:       loop:
; CHECK:         load volatile i8, ptr @__pagetide_marks_on
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK:         br i1 %more, label %loop, label %end
define dso_local void @cold(ptr %p, ptr %q) cold {
  store i8 1, ptr %q
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr i8, ptr %p, i64 %i
  store i8 1, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The mark of a return address tests too. It was made in programs without a shadow.
; FRAMES-LABEL: define dso_local void @duplicates_nothing(
; FRAMES-NOT:     addrspace(256)
; FRAMES:         load volatile i8, ptr @__pagetide_marks_on
; FRAMES:         store volatile i8 1, ptr addrspace(256)
; FRAMES:         call void @once()

; Labels of a number, or with a number of their own for each copy, do not clash.
; CHECK-LABEL: define dso_local void @numbered_labels(
; CHECK-SAME:    prologue {{.*}}@__pagetide_marks_on
define dso_local void @numbered_labels(ptr %p) {
  call void asm sideeffect "1: nop\0A.Lhere${:uid}: nop\0A.ifndef probe\0Aprobe: nop\0A.endif", ""()
  store i8 1, ptr %p
  ret void
}

; The copies. Both use @state.
; CHECK-LABEL: define internal void @external.pagetide()
; CHECK:         store i32 1, ptr @state
; CHECK:         call void @local.pagetide(
; CHECK-LABEL: define internal void @local.pagetide(
; CHECK:         store volatile i8 1, ptr addrspace(256)
; CHECK-LABEL: define internal void @weak.pagetide({{.*}} comdat($weak)
; CHECK-LABEL: define linkonce_odr hidden void @inline.pagetide({{.*}} comdat
; CHECK-LABEL: define internal void @calls.pagetide(
; CHECK:         call void @external.pagetide()
; CHECK:         call void @external.pagetide()
; CHECK:         call void @preemptible(
; CHECK:         call void @weak(
; CHECK:         call void @inline.pagetide(
; CHECK-LABEL: define internal i32 @variadic.pagetide(ptr %r, i32 %n, ...)
; CHECK-LABEL: define internal void @by_value.pagetide(ptr byval([5 x i64]) %r)
; CHECK-LABEL: define internal void @jumps.pagetide(
; CHECK:         getelementptr {{.*}} @labels.pagetide,
; CHECK-LABEL: define internal void @numbered_labels.pagetide(
