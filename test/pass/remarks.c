// Optimisation remarks: how many marks there are, and why not fewer.

// RUN: %clang_pagetide -O1 -Rpass=pagetide -Rpass-missed=pagetide -Rpass-analysis=pagetide -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %clang_pagetide -O1 -c -o /dev/null %s 2>&1 | count 0
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -g -o %t.ll %s
// RUN: %opt -load-pass-plugin=%pass -passes='default<O1>' -pass-remarks=pagetide -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OPT
// OPT: remarks.c:[[#@LINE+15]]:{{[0-9]+}}: the loop is marked a chunk at a time: iterations of a chunk 512 at most
// OPT-NEXT: remarks.c:[[#@LINE+30]]:{{[0-9]+}}: the loop is marked a chunk at a time
// OPT-NOT: remark

void opaque(void);

// CHECK: remarks.c:[[#@LINE+1]]:{{[0-9]+}}: remark: function 'two_fields': accesses 3, marks 1, marked by lanes or by a length known at run time 0, calls of the runtime 0, marked with chunks of loops 0; marks that repeat an earlier one: behind a call, an atomic or volatile access or a fence 0, at the beginning of a loop 0, where a path lacks the earlier one 0 [-Rpass-analysis=pagetide]
void two_fields(int *p) {
  p[0] = 1;
  p[7] = 2;
  p[9] = 3;
}

void fill(long *p, long n) {
  // CHECK: remarks.c:[[#@LINE+1]]:{{[0-9]+}}: remark: the loop is marked a chunk at a time: iterations of a chunk 512 at most, accesses 1, streams 1 [-Rpass=pagetide]
  for (long i = 0; i < n; ++i)
    p[i] = i;
}
// CHECK: remark: function 'fill': accesses 1, marks 2,
// CHECK-SAME: marked with chunks of loops 1;

void calls(long *p, long n) {
  // CHECK: remarks.c:[[#@LINE+1]]:{{[0-9]+}}: remark: the loop keeps its marks: it contains a call [-Rpass-missed=pagetide]
  for (long i = 0; i < n; ++i) {
    p[i] = i;
    opaque();
  }
}

long find(long *p, long what, long n) {
  // CHECK: remark: the loop is marked a chunk at a time: iterations of a chunk 512 at most, accesses 1, streams 1
  for (long i = 0; i < n; ++i)
    if (p[i] == what)
      return i;
  return -1;
}

long gather(long *p, const int *at, long what, long n) {
  // CHECK: remark: the loop keeps its marks: it may end early, and some accesses need marks of their own
  for (long i = 0; i < n; ++i)
    if (p[at[i]] == what)
      return i;
  return -1;
}

long length(const char *text) {
  const char *end = text;
  // CHECK: remark: the loop keeps its marks: its trip count is not known when it is entered, and chunks would save little
  while (*end > ' ')
    ++end;
  return end - text;
}

struct list {
  struct list *next;
  long value;
};

void unknown(struct list *l) {
  // CHECK: remark: the loop keeps its marks: no address moves by a constant number of bytes in each iteration
  do {
    l->value = 0;
    l = l->next;
  } while (l);
}

void nothing_moves(volatile int *f, long *p, const unsigned char *at, long n) {
  // CHECK: remark: the loop keeps its marks: it contains an atomic or volatile access, or a fence
  for (long i = 0; i < n; ++i)
    p[i] = *f;
  // CHECK: remark: the loop keeps its marks: no address moves by a constant number of bytes in each iteration
  for (long i = 0; i < n; ++i)
    p[(i * i) & 1023] += i;
}

// CHECK: remark: function 'again': accesses 2, marks 2,
// CHECK-SAME: behind a call, an atomic or volatile access or a fence 1,
void again(long *p) {
  *p = 1;
  opaque();
  *p = 2;
}
