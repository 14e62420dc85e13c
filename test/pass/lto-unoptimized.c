// At -O0 code is marked when it is compiled, since the link may run no pipeline
// at all, as thin links at -O0 do. A link that does optimise leaves it alone, and
// one with the plugin marks nothing again.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -c %S/Inputs/runtime_stub.c -o stub.o

// RUN: %clang_pagetide -O0 -fPIC -flto=full -c %s -o full.o
// RUN: llvm-dis -o - full.o | FileCheck %s --check-prefixes=CHECK,COMPILED
// RUN: %clang_pagetide -O0 -fPIC -flto=thin -c %s -o thin.o
// RUN: llvm-dis -o - thin.o | FileCheck %s --check-prefixes=CHECK,COMPILED

// RUN: %clang -O0 -flto=full -fuse-ld=lld -shared -Wl,--save-temps -Wl,--no-undefined full.o stub.o -o plain.so
// RUN: llvm-dis -o - plain.so.0.5.precodegen.bc | FileCheck %s
// RUN: %clang -O0 -flto=thin -fuse-ld=lld -shared -Wl,--save-temps -Wl,--no-undefined thin.o stub.o -o plain.so
// RUN: llvm-dis -o - thin.o.5.precodegen.bc | FileCheck %s

// RUN: %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps -Wl,--no-undefined full.o stub.o -o both.so
// RUN: llvm-dis -o - both.so.0.5.precodegen.bc | FileCheck %s
// RUN: %clang -O2 -flto=thin -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps -Wl,--no-undefined thin.o stub.o -o both.so
// RUN: llvm-dis -o - thin.o.5.precodegen.bc | FileCheck %s

// Two files make one note in one module.
// RUN: %clang_pagetide -O0 -fPIC -flto=full -c %S/Inputs/lto_other.c -o other.o
// RUN: %clang -O0 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--no-undefined full.o other.o stub.o -o two.so
// RUN: llvm-readelf -n two.so | FileCheck %s --check-prefix=NOTES
// NOTES:     Pagetide
// NOTES-NOT: Pagetide

extern int object;
int object;

// COMPILED-NOT:  pagetide.deferred
// CHECK:         @pagetide.note =
// CHECK-LABEL: define {{.*}}void @store(
// CHECK-NEXT:    lshr i64 ptrtoint (ptr @object to i64), 9
// CHECK-COUNT-1: store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    store i32 1, ptr @object
// CHECK-NOT:     addrspace(256)
// CHECK:         ret void
void store(void) { object = 1; }

// The compiler's own functions are kept as they are, too. Those of clang 22 are
// excluded from instrumentation, and get no marks.
// CHECK-LABEL: define {{.*}}ptr @chosen.resolver(
// CHECK-SAME:    [[$UNOPTIMIZED:#[0-9]+]]
// CHECK:       attributes [[$UNOPTIMIZED]] = {{{.*(noinline optnone|disable_sanitizer_instrumentation).*}}}
__attribute__((target_clones("avx2", "default"))) void chosen(void) {
  object = 2;
}
