// With -femulated-tls a call gives the address of a thread-local variable, also
// in a program, where none does otherwise. It ends a segment. The same file has
// long chains of comparisons, which code generation may make a call of memcmp.

// RUN: for o in "-O0 -fPIE" "-O2 -fPIE" "-O2 -fno-pic" "-O2 -fPIC"; do \
// RUN:   for tls in -femulated-tls -fno-emulated-tls; do \
// RUN:     %pagetide_clang $o $tls -S -fpagetide-mode=always \
// RUN:       -fpagetide-marks=lines -mllvm -use-unknown-locations=Enable %s \
// RUN:       -o %t$tls.s && \
// RUN:     %python %src_root/test/lib/unexpected_calls.py --marks 4 %t$tls.s || \
// RUN:       exit 1; \
// RUN:   done; \
// RUN: done
// RUN: FileCheck %s --input-file=%t-femulated-tls.s
// CHECK-LABEL: both:
// CHECK-COUNT-3: callq __emutls_get_address

extern _Thread_local int far, farther;
_Thread_local int near;
int called(void);

int both(int *p) {
  p[0] = 1;
  near = 2;
  p[1] = near;
  far = 3;
  p[2] = far;
  return farther + called();
}

struct record {
  int v[12];
};
#define SAME(n) a->v[n] == b->v[n]
int same(const struct record *a, const struct record *b, int *p) {
  p[0] = 1;
  int result = SAME(0) && SAME(1) && SAME(2) && SAME(3) && SAME(4) && SAME(5) &&
               SAME(6) && SAME(7) && SAME(8) && SAME(9) && SAME(10) && SAME(11);
  p[1] = result;
  return result;
}
