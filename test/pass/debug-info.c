// Debug information stays whole, and a mark has the line of its access.

// RUN: %clang_pagetide -g -O2 -S -emit-llvm -o %t.ll %s
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %opt -passes=verify -disable-output %t.ll
// RUN: %clang_pagetide -g -O2 -c -o %t.o %s
// RUN: llvm-dwarfdump --verify %t.o
// RUN: %clang_pagetide -g -O0 -c -o %t.0.o %s
// RUN: llvm-dwarfdump --verify %t.0.o

// The passes behind ours find nothing wrong either.
// RUN: %clang -g -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.in.ll %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O2>' -verify-each -disable-output %t.in.ll

struct Pair {
  long first, second;
  char name[400];
};

// CHECK-LABEL: define {{.*}} @sum(
// CHECK:         store volatile i8 1, ptr addrspace(256) {{.*}}, !dbg [[$LOAD:![0-9]+]], !nosanitize
// CHECK:         call ptr @__pagetide_call.memcpy({{.*}}, !dbg [[$COPY:![0-9]+]], !nosanitize
long sum(struct Pair *p, char *to, const char *from, unsigned long n) {
  long result = p->first; // CHECK-DAG: [[$LOAD]] = !DILocation(line: [[@LINE]],
  __builtin_memcpy(       // CHECK-DAG: [[$COPY]] = !DILocation(line: [[@LINE]],
      to, from, n);
  return result;
}

struct Pair copy(const struct Pair *p) { return *p; }
