/* Functions that two copies of each could break, in C. What is printed must not
 * depend on marks. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels: a table of addresses, one of distances, and one that can change. */
static long jump(const char *program) {
  static const void *const table[] = {&&one, &&ten, &&end};
  long sum = 0;
  goto *table[(int)*program];
one:
  sum += 1;
  goto *table[(int)*++program];
ten:
  sum += 10;
  goto *table[(int)*++program];
end:
  return sum;
}
static long jump_far(int which) {
  static const int distances[] = {&&first - &&first, &&second - &&first};
  goto *(&&first + distances[which]);
first:
  return 100;
second:
  return 200;
}
static void **lent;
static long jump_by_others(int which) {
  static void *table[2];
  if (!table[0]) {
    table[0] = &&first, table[1] = &&second;
    lent = table;
  }
  goto *table[which];
first:
  return 1000;
second:
  return 2000;
}

/* One counter, whichever copy runs. */
static int next(void) {
  static int count;
  return ++count;
}

struct big {
  long member[40];
};
__attribute__((noinline)) struct big twice(struct big b) {
  for (int i = 0; i < 40; ++i)
    b.member[i] *= 2;
  return b;
}

__attribute__((noinline)) double add(const char *kinds, ...) {
  va_list list;
  double sum = 0;
  va_start(list, kinds);
  for (; *kinds; ++kinds)
    sum += *kinds == 'd'   ? va_arg(list, double)
           : *kinds == 'l' ? (double)va_arg(list, long)
                           : (double)va_arg(list, struct big).member[7];
  va_end(list);
  return sum;
}

__attribute__((noinline)) long many(long a, long b, long c, long d, long e,
                                    long f, long g, long h, double i, int j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (long)i + j;
}

/* Called by libc, which is not instrumented. */
static int compare(const void *a, const void *b) {
  next();
  return *(const int *)a - *(const int *)b;
}

/* Symbols that assembly defines, or only uses. */
static int __attribute__((noinline)) defines_symbol(int *p) {
  __asm__ volatile(".globl defined_here\ndefined_here: nop");
  return ++*p;
}
static int __attribute__((noinline)) numbers_labels(int *p) {
  __asm__ volatile("jmp 1f\n1: jmp .Lhere%=\n.Lhere%=: nop" ::: "memory");
  return ++*p;
}
__attribute__((naked)) long naked(void) { __asm__("movl $5, %eax\nret"); }

int other_name(int *p) __attribute__((alias("original")));
int original(int *p) { return *p += 3; }
__attribute__((weak)) int replaced(int *p) { return *p += 1; }
__attribute__((optnone)) int not_optimised(int *p) { return *p += 4; }
__attribute__((disable_sanitizer_instrumentation)) static int excluded(int *p) {
  *p += 100;
  return jump("\1\2") + next() * 0;
}

static int chosen(int *p) { return *p += 7; }
static int (*choose(void))(int *) { return chosen; }
int by_resolver(int *p) __attribute__((ifunc("choose")));

static jmp_buf target;
static int jumps_back(int *p) {
  if (setjmp(target))
    return *p;
  *p += 9;
  longjmp(target, 1);
}

static int early;
__attribute__((constructor)) static void before_main(void) { early = 42; }
__attribute__((destructor)) static void after_main(void) {
  printf("bye %d\n", early);
}

int main(void) {
  int numbers[] = {5, 3, 9, 1, 7};
  int value = 0;
  struct big b;
  memset(&b, 0, sizeof b);
  b.member[7] = 21;
  printf("%ld %ld %ld\n", jump("\0\1\0\2"), jump_far(0), jump_far(1));
  printf("%ld", jump_by_others(0));
  printf(" %ld %d\n", jump_by_others(1), lent != NULL);
  b = twice(b);
  printf("%ld %g\n", b.member[7], add("dlb", 1.5, 2L, b));
  printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10));
  qsort(numbers, 5, sizeof *numbers, compare);
  printf("%d %d %d\n", numbers[0], numbers[4], next() > 5);
  printf("%d %d %ld\n", defines_symbol(&value), numbers_labels(&value), naked());
  printf("%d %d %d\n", other_name(&value), replaced(&value),
         not_optimised(&value));
  printf("%d %d %d\n", excluded(&value), by_resolver(&value),
         jumps_back(&value));
  printf("%d\n", early);
  return 0;
}
