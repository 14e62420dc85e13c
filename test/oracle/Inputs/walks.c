//===- walks.c - Loops that walk through memory ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: walks [ELEMENTS ROUNDS]
//
// Conditions, early ends, strides, several arrays, elements of one to sixteen
// bytes. Between two loops a call of libc may end a period.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define K __attribute__((noinline))
typedef struct {
  int a;
  short b;
  char c;
  char d;
  long e;
} S; // 16
typedef struct {
  int a, b, c;
} T; // 12
static long N;
static long R;
static uint64_t *A, *B, *C;
static uint32_t *I, *J;
static uint16_t *H;
static uint8_t *P, *Q;
static double *D, *E;
static S *s;
static T *t;
K void flip(int a, int b, int c, long n, uint64_t *p) {
  for (long i = 0; i < n; i++)
    if (p[i] & (1ul << a))
      if (p[i] & (1ul << b))
        p[i] ^= 1ul << c;
}
K void flipsize(int a, int b, int c, int *n, uint64_t *p) {
  for (int i = 0; i < *n; i++)
    if (p[i] & (1ul << a))
      if (p[i] & (1ul << b))
        p[i] ^= 1ul << c;
}
K void clampi(long n, int *p, int hi) {
  for (long i = 0; i < n; i++)
    if (p[i] > hi)
      p[i] = hi;
}
K uint64_t sumul(long n, uint64_t *p) {
  uint64_t x = 0;
  for (long i = 0; i < n; i++)
    x = x * 3 + p[i];
  return x;
}
K double dot(long n, double *p, double *q) {
  double x = 0;
  for (long i = 0; i < n; i++)
    x += p[i] * q[i];
  return x;
}
K uint64_t hash(long n, uint8_t *p) {
  uint64_t x = 5381;
  for (long i = 0; i < n; i++)
    x = x * 33 ^ p[i];
  return x;
}
K void prefix(long n, uint32_t *p) {
  for (long i = 1; i < n; i++)
    p[i] += p[i - 1];
}
K void rle(long n, uint8_t *p, uint8_t *q) {
  uint8_t last = 0;
  for (long i = 0; i < n; i++) {
    uint8_t v = p[i];
    q[i] = v - last;
    last = v;
  }
}
K long find(long n, uint32_t *p, uint32_t x) {
  for (long i = 0; i < n; i++)
    if (p[i] == x)
      return i;
  return -1;
}
K long mismatch(long n, uint8_t *p, uint8_t *q) {
  for (long i = 0; i < n; i++)
    if (p[i] != q[i])
      return i;
  return n;
}
K long len(uint8_t *p) {
  uint8_t *b = p;
  while (*p)
    p++;
  return p - b;
}
K void copyz(uint8_t *q, const uint8_t *p) {
  while ((*q++ = *p++))
    ;
}
K long words(const uint8_t *p) {
  long w = 0;
  int in = 0;
  while (*p) {
    if (*p == ' ')
      in = 0;
    else if (!in) {
      in = 1;
      w++;
    }
    p++;
  }
  return w;
}
K void upper(uint8_t *p) {
  for (; *p; p++)
    if (*p >= 'a' && *p <= 'z')
      *p -= 32;
}
K void back(long n, uint64_t *p, uint64_t m) {
  for (long i = n - 1; i >= 0; i--)
    if (p[i] & m)
      p[i] -= m;
}
K void structs(long n, S *p) {
  for (long i = 0; i < n; i++)
    if (p[i].a > 5) {
      p[i].b++;
      p[i].e += p[i].a;
    }
}
K void twelve(long n, T *p) {
  for (long i = 0; i < n; i++)
    if (p[i].a & 1)
      p[i].c = p[i].b;
}
K void scatter3(long n, uint32_t *p, uint32_t *x, uint32_t *y) {
  for (long i = 0; i < n; i++) {
    if (p[i] & 1)
      x[i] = p[i];
    else
      y[i] = p[i] + 1;
  }
}
K long part(long n, uint32_t *p, uint32_t *x) {
  long k = 0;
  for (long i = 0; i < n; i++)
    if (p[i] & 1)
      x[k++] = p[i];
  return k;
}
K void strided(long n, uint64_t *p) {
  for (long i = 0; i < n; i += 4)
    if (p[i] & 2)
      p[i] = p[i] >> 1;
}
K void nested(long n, uint16_t *p, uint8_t *q) {
  for (long i = 0; i < n; i++) {
    if (p[i] > 9) {
      if (q[i] > 3)
        q[i] = p[i] >> 8;
      else if (p[i] & 1)
        p[i] = 7;
    }
  }
}
K long count2(long n, uint64_t *p, uint64_t *q) {
  long k = 0;
  for (long i = 0; i < n; i++) {
    if (p[i] == 12345)
      break;
    if (p[i] > q[i])
      k += p[i] - q[i];
  }
  return k;
}
K void maxd(long n, double *p, double *q) {
  for (long i = 0; i < n; i++)
    if (p[i] < q[i])
      p[i] = q[i];
}
static unsigned table[256];
K unsigned crc(const unsigned char *p, long n, unsigned c) {
  while (n--)
    c = table[(c ^ *p++) & 255] ^ c >> 8;
  return c;
}
K void xorkey(long n, uint8_t *p, const uint8_t *key) {
  for (long i = 0; i < n; i++)
    p[i] ^= key[i & 15];
}
// A row of `pages` is a page.
static unsigned rows[4][256], counts[256], pages[4][1024];
static uint8_t stops[256];
K unsigned slices(long n, const uint8_t *p, unsigned x) {
  for (long i = 0; i + 4 <= n; i += 4)
    x ^=
        rows[3][p[i]] ^ rows[2][p[i + 1]] ^ rows[1][x & 255] ^ rows[0][x >> 24];
  return x;
}
K void countif(long n, const uint8_t *p, uint8_t least) {
  for (long i = 0; i < n; i++)
    if (p[i] > least)
      counts[p[i]]++;
}
K long untilstop(const uint8_t *p) {
  long k = 0;
  while (!stops[p[k]])
    k++;
  return k;
}
K void rarely(long n, const uint8_t *p, uint8_t x) {
  for (long i = 0; i < n; i++) {
    if (p[i] == x)
      pages[1][p[i]] += 3;
    else if (p[i] == (uint8_t)(x + 1))
      pages[2][p[i] * 4u]++;
    if (p[i] & 128)
      pages[3][p[i]] = i;
  }
}
K unsigned mixed(long n, const uint32_t *p) {
  unsigned x = 0;
  for (long i = 0; i < n; i++) {
    x += pages[0][p[i] >> 22] + counts[7];
    counts[x % 200]++;
    if (x & 64)
      x ^= pages[0][(x & 15) + 990];
  }
  return x;
}
K void hist(long n, uint8_t *p, uint32_t *h) {
  for (long i = 0; i < n; i++)
    h[p[i]]++;
}
K void gapfill(long n, uint64_t *p, uint64_t *q, uint64_t *r) {
  for (long i = 1; i < n; i++) {
    if (!p[i])
      p[i] = p[i - 1];
    if (q[i] & 1)
      r[i] = p[i];
  }
}
#include <time.h>
static void Z(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
}
int main(int c, char **v) {
  for (unsigned i = 0; i < 256; i++) {
    unsigned z = i;
    for (int k = 0; k < 8; k++)
      z = z & 1 ? 0xedb88320u ^ z >> 1 : z >> 1;
    table[i] = z;
  }
  N = c > 1 ? atol(v[1]) : 3001;
  R = c > 1 ? atol(v[2]) : 2;
  size_t b = N * 16 + 16384;
  A = (void *)((char *)malloc(b) + 8 * (rand() & 511) % 4096);
  B = (void *)((char *)malloc(b) + 8 * (rand() & 511) % 4096);
  C = (void *)((char *)malloc(b) + 8 * (rand() & 511) % 4096);
  I = (void *)((char *)malloc(b) + 4 * (rand() & 1023));
  J = (void *)((char *)malloc(b) + 4 * (rand() & 1023));
  H = malloc(b);
  P = malloc(b);
  Q = malloc(b);
  D = (void *)((char *)malloc(b) + 8 * (rand() & 511) % 4096);
  E = (void *)((char *)malloc(b) + 8 * (rand() & 511) % 4096);
  s = malloc(b);
  t = malloc(b);
  uint64_t x = 1, sum = 0;
  for (long r = 0; r < R; r++) {
    for (long i = 0; i < N; i++) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      A[i] = x ^ x >> 33;
      B[i] = x >> 7;
      C[i] = x & 8;
      I[i] = x >> 32;
      J[i] = x >> 21;
      H[i] = x >> 41;
      P[i] = (x >> 50 & 63) + 65;
      Q[i] = P[i];
      D[i] = i;
      E[i] = i ^ 5;
      s[i].a = x >> 60;
      t[i].a = x >> 33;
      if (i % 6 == 5)
        Q[i] = P[i] = ' ';
    }
    P[N] = Q[N] = 0;
    sum += mismatch(N, P, Q);
    Z();
    int n = N;
    flip(3, 7, 9, N, A);
    Z();
    flipsize(3, 7, 9, &n, A);
    Z();
    clampi(N, (int *)I, 1 << 29);
    Z();
    sum += sumul(N, A);
    Z();
    sum += dot(N, D, E);
    Z();
    sum += hash(N, P);
    Z();
    sum += len(P);
    Z();
    sum += words(P);
    Z();
    prefix(N, J);
    Z();
    sum += find(N, I, 0x12345678);
    Z();
    copyz(Q, P);
    Z();
    upper(P);
    Z();
    rle(N, P, (uint8_t *)H);
    Z();
    back(N, B, 8);
    Z();
    structs(N, s);
    Z();
    twelve(N, t);
    Z();
    scatter3(N, I, J, (uint32_t *)C);
    Z();
    sum += part(N, I, J);
    Z();
    strided(N, A);
    Z();
    nested(N, H, Q);
    Z();
    sum += count2(N, A, B);
    Z();
    maxd(N, D, E);
    Z();
    sum += crc(P, N, sum);
    Z();
    xorkey(N, P, (uint8_t *)A);
    Z();
    hist(N, Q, I);
    Z();
    for (int k = 0; k < 256; k++)
      rows[k & 3][k] += stops[k] = k == 'x';
    Z();
    sum += slices(N, P, sum);
    Z();
    countif(N, P, 60);
    Z();
    countif(N, P, 250);
    Z();
    rarely(N, P, 70);
    Z();
    rarely(N, P, 69);
    Z();
    rarely(N, P, 220);
    Z();
    sum += mixed(N, I);
    Z();
    gapfill(N, A, B, C);
    Z();
    for (long k = 5; k < N; k += 411) {
      uint32_t o = I[k];
      I[k] = 77777777;
      Z();
      sum += find(N, I, 77777777);
      Z();
      I[k] = o;
      B[k] += 1;
      P[k] ^= 1;
      Z();
      sum += mismatch(N, P, Q);
      Z();
      A[k] = 12345;
      Z();
      sum += count2(N, A, B);
      Z();
      P[k] = 0;
      Z();
      copyz(Q, P);
      sum += words(P);
      Z();
      P[k] = 'x';
      Z();
      sum += untilstop(P);
      Z();
      rarely(k, P, k);
      hist(40, P, J + k);
      clampi(k, (int *)I, 1 << k % 30);
      Z();
    }
  }
  for (long i = 0; i < N; i++)
    sum = sum * 31 + A[i] + B[i] + C[i] + I[i] + J[i] + H[i] + P[i] + Q[i] +
          (long)D[i] + s[i].e + t[i].c;
  printf("%lx\n", sum);
}
