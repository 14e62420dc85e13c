// -Wframe-larger-than means the frame of the function, and not that of its marked
// copy, which is larger. In a file that clang compiles nothing is said of a copy.

// DEFINE: %{limit} = 968
// DEFINE: %{below} = 967
// RUN: %clang_demand -O0 -Werror -Wframe-larger-than=%{limit} -c -o /dev/null %s
// RUN: not %clang_demand -O0 -Werror -Wframe-larger-than=%{below} -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %clang_pagetide -O0 -Werror -Wframe-larger-than=%{limit} -c -o /dev/null %s
// RUN: %clang -O0 -Werror -Wframe-larger-than=%{limit} -c -o /dev/null %s
// RUN: not %clang -O0 -Werror -Wframe-larger-than=%{below} -c -o /dev/null %s
// CHECK:     frame-size.c:[[#@LINE+5]]:6: error: stack frame size (968) exceeds limit (967) in 'f'
// CHECK-NOT: error:

long ext(long *, double *);
long f(long *, double *, int);
long f(long *p, double *q, int n) {
  long a[80];
  double d[30];
  for (int i = 0; i < 80; ++i)
    a[i] = p[i & n];
  for (int i = 0; i < 30; ++i)
    d[i] = q[i & n];
  long r = ext(a, d), first = p[0], second = p[600], third = p[1200];
  p[1] = first + second;
  p[601] = second * third;
  return r + first + third;
}
