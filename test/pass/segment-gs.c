// Memory relative to segment GS is refused: the base of GS is Pagetide's.

// RUN: not %clang_pagetide -O1 -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefixes=CHECK,FILE
// RUN: not %clang_pagetide -O1 -g -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefixes=CHECK,LINE
// RUN: %clang_pagetide -O1 -DEXCLUDED -c -o /dev/null %s
// RUN: %clang -O1 -c -o /dev/null %s

// LINE: error: {{.*}}segment-gs.c:[[#@LINE+14]]: Pagetide:
// FILE: error: {{.*}}segment-gs.c: Pagetide:
// CHECK-SAME: function 'reader' accesses memory relative to segment GS (__seg_gs), but the base of GS is Pagetide's; access that memory by __seg_fs or by a plain pointer
// CHECK-NOT: error: {{.*}}'reader'
// CHECK: error: {{.*}}function 'writer'

#ifdef EXCLUDED
#define ATTRIBUTE __attribute__((disable_sanitizer_instrumentation))
#else
#define ATTRIBUTE
#endif

ATTRIBUTE int reader(int __seg_gs *p, int __seg_gs *q) {

  return p[0] + q[3];
}

ATTRIBUTE void writer(int __seg_gs *p) { *p = 1; }
