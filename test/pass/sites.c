// Sites name function, file, line, column and where code was inlined, as debug
// information has them. Their ids depend on nothing else.

// RUN: rm -rf %t && mkdir -p %t/a %t/b && cp %s %t/a/moved.c && cp %s %t/b/moved.c
// RUN: cd %t/a && %clang_pagetide -mllvm -pagetide-layout=rw-site -g -O2 -S -emit-llvm -ffile-prefix-map=%t/a=/source moved.c -o %t/a.ll
// RUN: cd %t/b && %clang_pagetide -mllvm -pagetide-layout=rw-site -g -O2 -S -emit-llvm -ffile-prefix-map=%t/b=/source moved.c -o %t/b.ll
// RUN: grep -h 'addrspace(256).*align 4' %t/a.ll | grep -o 'i32 [0-9]*' > %t/a.ids
// RUN: grep -h 'addrspace(256).*align 4' %t/b.ll | grep -o 'i32 [0-9]*' > %t/b.ids
// RUN: test -s %t/a.ids && cmp %t/a.ids %t/b.ids
// RUN: FileCheck %s --input-file=%t/a.ll

// Without the map they are other places.
// RUN: cd %t/b && %clang_pagetide -mllvm -pagetide-layout=rw-site -g -O2 -S -emit-llvm moved.c -o %t/c.ll
// RUN: grep -h 'addrspace(256).*align 4' %t/c.ll | grep -o 'i32 [0-9]*' > %t/c.ids
// RUN: not cmp -s %t/a.ids %t/c.ids

// Copies with and without marks share the table. The constructor has no marks.
// RUN: %clang_pagetide -mllvm -pagetide-layout=site -mllvm -pagetide-mode=on-demand -g -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=DEMAND
// DEMAND-LABEL: define {{.*}} @twice.pagetide(
// DEMAND: store volatile i32 {{[0-9]+}}, ptr addrspace(256)
// DEMAND-LABEL: define internal void @pagetide.sites_ctor()
// DEMAND-NOT: addrspace(256)
// DEMAND: ret void

// CHECK: @pagetide.sites = private constant {{.*}}\03get{{.*}}/source/moved.c{{.*}}\05twice{{.*}}section "pagetide_sites"

static inline __attribute__((always_inline)) int get(const volatile int *p) {
  return *p;
}

// CHECK-LABEL: define {{.*}} @twice(
// The same line, inlined at two places: two sites.
// CHECK: store volatile i32 [[FIRST:[0-9]+]], ptr addrspace(256)
// CHECK-NOT: store volatile i32 [[FIRST]], ptr addrspace(256)
// CHECK: ret i32
int twice(const volatile int *p, const volatile int *q) {
  int a = get(p);
  int b = get(q);
  return a + b;
}
