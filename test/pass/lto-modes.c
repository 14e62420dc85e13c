// An option says whether marks are made now or at link time. Without it, the
// pipeline decides.

// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t && cd %t

// Made now: the link needs no plugin.
// RUN: %clang_pagetide -Xclang -load -Xclang %pass -mllvm -pagetide-lto=mark -O2 -flto=full -c %s -o now.o
// RUN: llvm-dis -o - now.o | FileCheck %s --check-prefix=NOW
// RUN: %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--no-undefined now.o %S/Inputs/runtime_stub.c -o now.so

// A link with the plugin marks none of it again.
// RUN: %clang -O2 -flto=full -fuse-ld=lld -shared -Wl,--load-pass-plugin=%pass -Wl,--save-temps now.o %S/Inputs/runtime_stub.c -o now.so
// RUN: llvm-dis -o - now.so.0.5.precodegen.bc | FileCheck %s --check-prefix=NOW

// Left for later, in whatever pipeline.
// RUN: %clang_pagetide -Xclang -load -Xclang %pass -mllvm -pagetide-lto=defer -O2 -emit-llvm -c %s -o later.bc
// RUN: llvm-dis -o - later.bc | FileCheck %s --check-prefix=LATER
// RUN: %opt -load-pass-plugin=%pass -passes='pagetide,verify' -S later.bc | FileCheck %s --check-prefix=NOW

// Pipelines before a link, and those after one.
// RUN: %clang -O2 -Xclang -disable-llvm-passes -emit-llvm -c %s -o plain.bc
// RUN: %opt -load-pass-plugin=%pass -passes='thinlto-pre-link<O2>' -S plain.bc | FileCheck %s --check-prefix=LATER
// RUN: %opt -load-pass-plugin=%pass -passes='lto-pre-link<O2>' -S plain.bc | FileCheck %s --check-prefix=LATER
// RUN: %opt -load-pass-plugin=%pass -passes='thinlto<O2>' -S plain.bc | FileCheck %s --check-prefix=NOW
// RUN: %opt -load-pass-plugin=%pass -passes='lto<O2>' -S plain.bc | FileCheck %s --check-prefix=NOW
// RUN: %opt -load-pass-plugin=%pass -passes='default<O2>' -S plain.bc | FileCheck %s --check-prefix=NOW

// An object that holds both code and bitcode: the code is marked, the bitcode
// will be.
// RUN: %clang_pagetide -O2 -flto=thin -ffat-lto-objects -c %s -o fat.o
// RUN: llvm-objdump -d fat.o | FileCheck %s --check-prefix=CODE
// RUN: llvm-objcopy --dump-section .llvm.lto=fat.bc fat.o /dev/null
// RUN: llvm-dis -o - fat.bc | FileCheck %s --check-prefix=LATER

// NOW-NOT:       pagetide.deferred
// NOW-LABEL:   define {{.*}}void @store(
// NOW-COUNT-1:   store volatile i8 1, ptr addrspace(256)
// NOW-NEXT:      store i32 1,
// NOW-NEXT:      ret void

// LATER-NOT:     addrspace(256)
// LATER:         @pagetide.deferred =
// LATER-NOT:     addrspace(256)
// LATER:       define {{.*}}void @store(
// LATER-NEXT:    store i32 1,
// LATER-NEXT:    ret void

// CODE-LABEL: <store>:
// CODE:         movb $0x1, %gs:
// CODE-NEXT:    movl $0x1, (%rdi)
// CODE-NOT:     %gs:

void store(int *p) { *p = 1; }
