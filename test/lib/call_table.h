/*===- call_table.h - Calls whose arguments end where memory ends ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * A program has rows: functions of libc, by name, and arguments. What an
 *argument points to ends exactly at the end of a mapping. Each row is called
 *so, and then with each pointer made bad in turn. The program prints what each
 *call returned, its errno, what it left in memory, or the signal that it died
 *of. Built and run without Pagetide and recorded, it has to print the same.
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

struct argument {
  enum { VALUE, VALUE_OF, MEMORY, REAL, END } kind;
  const void *content; /* null: filled with 0xa5 */
  size_t bytes;
  long value;
  int opaque; /* its bytes differ from run to run */
};

#define V(x) ((struct argument){VALUE, NULL, 0, (long)(x), 0})
#define LATER(variable) ((struct argument){VALUE_OF, &(variable), 0, 0, 0})
#define IN(p, n) ((struct argument){MEMORY, p, n, 0, 0})
#define TEXT(s) IN(s, sizeof(s))
#define RAW(s) IN(s, sizeof(s) - sizeof *(s)) /* without its end */
#define OUT(n) ((struct argument){MEMORY, NULL, n, 0, 0})
#define OUTX(n) ((struct argument){MEMORY, NULL, n, 0, 1})
#define INX(p, n) ((struct argument){MEMORY, p, n, 0, 1})
#define ZERO(n) IN(zeros, n)
#define WORDS(...)                                                             \
  IN(((const long[]){__VA_ARGS__}), sizeof((const long[]){__VA_ARGS__}))
#define INTS(...)                                                              \
  IN(((const int[]){__VA_ARGS__}), sizeof((const int[]){__VA_ARGS__}))

static struct argument real_argument(double x) {
  struct argument result = {REAL, NULL, 0, 0, 0};
  memcpy(&result.value, &x, sizeof x);
  return result;
}
static struct argument float_argument(float x) {
  struct argument result = {REAL, NULL, 0, 0, 0};
  memcpy(&result.value, &x, sizeof x);
  return result;
}
#define D(x) real_argument(x)
#define F(x) float_argument(x)

enum {
  BASE_PAGE = 4096,
  SPAN = 64 * BASE_PAGE,
  MOST_ARGUMENTS = 12,
  PASSED = 10, /* those behind are only pointed to */
};
static const char zeros[SPAN];

/* Where memory of argument i ends. Fixed, so that addresses are always equal.
 */
HIDDEN static char *end_of(int i) {
  return (char *)(0x200000000000 + (i + 1L) * 0x4000000);
}
/* The address of `bytes` bytes of argument i. */
HIDDEN static long at(int i, size_t bytes) { return (long)(end_of(i) - bytes); }

static sigjmp_buf back;
static volatile sig_atomic_t calling;
/* Back to the call. Outside one it is the table's fault, which kills it. */
static void crash(int number) {
  if (calling)
    siglongjmp(back, number);
  signal(number, SIG_DFL);
  raise(number);
}

/* Where rows are printed. A row may need another stdout. */
static FILE *said;

static void set_up(void) {
  said = stdout;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  for (int i = 0; i < MOST_ARGUMENTS; ++i) {
    char *begin = end_of(i) - SPAN - BASE_PAGE;
    if (mmap(begin, SPAN + 2 * BASE_PAGE, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) != begin ||
        mprotect(end_of(i) - SPAN, SPAN, PROT_READ | PROT_WRITE))
      abort();
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = crash;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  sigaction(SIGABRT, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
}

/* How the next rows end, if their results do not say so. */
static const char *outcome;
/* What the next rows are called, if they are not called after the function. */
static const char *row_name;
/* What a row needs anew before each of its calls; null: nothing. */
static void (*refresh)(void);
/* How short a pointer to the last of its memory is: wide characters are
 * aligned. */
static int last_bytes = 1;
/* What is done after each call, with its result. */
static void (*clean_up)(long result);
/* Rows whose bad pointers kill the caller with a lock of libc held, or that are
 * undefined with them, are only called as they are. */
static int only_good;
/* The arguments, as bits, that are never made bad. */
static unsigned spared;
/* The arguments of type long double, if the first is not zero. */
static long double stacked[2];

enum bad { GOOD, NULL_, UNMAPPED, LAST_BYTE, NO_RIGHTS, READ_ONLY, BAD_COUNT };
static const char *const bad_names[] = {"good",      "null",      "unmapped",
                                        "last byte", "no rights", "read-only"};

HIDDEN static void place(const struct argument *a, int i) {
  volatile char *p = end_of(i) - a->bytes;
  for (int lead = 1; lead <= 64; ++lead)
    p[-lead] = 0x5a;
  for (size_t k = 0; k < a->bytes; ++k)
    p[k] = a->content ? ((const char *)a->content)[k] : (char)0xa5;
}
HIDDEN static unsigned sum(const struct argument *a, int i) {
  const volatile unsigned char *p = (unsigned char *)end_of(i) - a->bytes - 64;
  unsigned sum = 1;
  for (size_t k = 0; k < a->bytes + 64; ++k)
    sum = (sum ^ p[k]) * 16777619u;
  return sum;
}

static void print_pointer(long p, const struct argument *a, int count) {
  for (int i = 0; i < count; ++i)
    if (a[i].kind == MEMORY && p >= at(i, SPAN) && p <= at(i, 0)) {
      fprintf(said, " argument %d %+ld", i, p - at(i, a[i].bytes));
      return;
    }
  fprintf(said, p ? " other memory" : " null");
}

/* What NAME is, the last argument in a register; NULL where the function does
 * not go by another name. */
static void *called;

/* Calls the function. Doubles go where the first arguments of that kind go, and
 * `stacked` is in place of arguments 7 to 10, which are on the stack. */
HIDDEN static long invoke(char kind, void *function, const struct argument *a,
                          int count, int which, enum bad bad, int *error) {
  long v[PASSED] = {0};
  double reals[3] = {0};
  int real_count = 0, passed = 0;
  v[5] = (long)called;
  for (int i = 0; i < count && i < PASSED; ++i) {
    if (a[i].kind == REAL) {
      memcpy(&reals[real_count++], &a[i].value, sizeof *reals);
      continue;
    }
    long *const value = &v[passed++];
    *value = a[i].kind == MEMORY     ? at(i, a[i].bytes)
             : a[i].kind == VALUE_OF ? *(const long *)a[i].content
                                     : a[i].value;
    if (i == which)
      *value = bad == NULL_       ? 0
               : bad == UNMAPPED  ? at(i, 0) + 0x1000000
               : bad == LAST_BYTE ? at(i, last_bytes)
                                  : *value;
  }
  if (stacked[0] != 0)
    memcpy(&v[6], stacked, sizeof stacked);
  long result = 0;
  errno = 0;
#define PAGETIDE_CALL_AS(type)                                                 \
  ((type(*)(long, ...))function)(v[0], v[1], v[2], v[3], v[4], v[5], v[6],     \
                                 v[7], v[8], v[9], reals[0], reals[1],         \
                                 reals[2])
  if (kind == 'd')
    PAGETIDE_CALL_AS(double);
  else if (kind == 'L')
    PAGETIDE_CALL_AS(long double);
  else
    result = PAGETIDE_CALL_AS(long);
  *error = errno;
  return result;
}

#include "call_ways.h"

#ifdef CALL_ORACLE
static unsigned sum_of(const char *p, size_t bytes) {
  unsigned sum = 1;
  for (size_t k = 0; k < bytes; ++k)
    sum = (sum ^ ((const volatile unsigned char *)p)[k]) * 16777619u;
  return sum;
}
#include "call_oracle.h"
#endif

static void call_so(const char *name, char kind, void *function,
                    const struct argument *a, int count, int which,
                    enum bad bad) {
  if (refresh)
    refresh();
  for (int i = 0; i < count; ++i)
    if (a[i].kind == MEMORY)
      place(&a[i], i);
  if (bad >= NO_RIGHTS)
    mprotect(end_of(which) - SPAN, SPAN, bad == READ_ONLY ? PROT_READ : 0);
  const struct call_end end = make_call(kind, function, a, count, which, bad);
  const long result = end.result;
  const int error = end.error;
  if (bad >= NO_RIGHTS)
    mprotect(end_of(which) - SPAN, SPAN, PROT_READ | PROT_WRITE);
  fprintf(said, "%s: %s %d:", name, bad_names[bad], which);
  if (end.ended) {
    fprintf(said, " %s %d\n", is_death(end.ended) ? "signal" : "gone",
            end.ended);
    return;
  }
  if (kind == 'i' || kind == 'e')
    fprintf(said, " %d", (int)result);
  if (kind == 'l')
    fprintf(said, " %ld", result);
  if (kind == 's')
    fprintf(said, " %d", ((int)result > 0) - ((int)result < 0));
  if (kind == 'p')
    print_pointer(result, a, count);
  if (kind == 'f')
    fprintf(said, (int)result < 0 ? " failed" : " succeeded");
  if ((kind == 'i' || kind == 'f') && (int)result == -1)
    fprintf(said, " errno %d", error);
  if ((kind == 'l' && result == -1) || (kind == 'p' && !result))
    fprintf(said, " errno %d", error);
  for (int i = 0; i < count; ++i)
    if (a[i].kind == MEMORY && !a[i].opaque)
      fprintf(said, " %x", sum(&a[i], i));
  fputc('\n', said);
  clean_after(end);
}

/* A row: `names` are called alike. `kind` of the result: i int, l long, s a
 * sign, p pointer, f whether it is negative, e the number of an error, d
 * double, L long double, v none that counts. */
static void row(const char *names, char kind, const struct argument *a) {
  int count = 0;
  while (a[count].kind != END)
    ++count;
  char text[2000], proxy[200];
  strcpy(text, names);
  char *rest = NULL;
  for (char *name = strtok_r(text, " ", &rest); name;
       name = strtok_r(NULL, " ", &rest)) {
    /* Marked code calls some functions by other names. (__pagetide_access is
     * the runtime's.) */
    snprintf(proxy, sizeof proxy, "__pagetide_%s", name);
    void *function = dlsym(RTLD_DEFAULT, proxy);
    called = dlsym(RTLD_DEFAULT, name);
    if (!function || !strcmp(name, "access")) {
      function = called;
      called = NULL;
    }
    if (!function) {
      fprintf(said, "%s: missing\n", name);
      continue;
    }
#ifdef CALL_ORACLE
    ++oracle_row;
    observe_row(row_name ? row_name : name, kind, function, a, count);
    fflush(said);
    continue;
#endif
    call_so(name, kind, function, a, count, 0, GOOD);
    for (int i = 0; i < count && !only_good; ++i)
      for (enum bad bad = NULL_; bad < BAD_COUNT; ++bad)
        if (a[i].kind == MEMORY && !(spared >> i & 1) &&
            (i < PASSED || bad >= NO_RIGHTS))
          call_so(name, kind, function, a, count, i, bad);
    fflush(said);
  }
}
#define CALL(names, kind, ...)                                                 \
  row(names, kind, (const struct argument[]){__VA_ARGS__, {END, 0, 0, 0, 0}})

/* Whether libc is 2.MINOR or later. */
static inline int libc_since(int minor) {
  return atoi(strchr(gnu_get_libc_version(), '.') + 1) >= minor;
}
/* A row of functions that came with that version. */
#define CALL_SINCE(minor, ...)                                                 \
  do {                                                                         \
    if (libc_since(minor))                                                     \
      CALL(__VA_ARGS__);                                                       \
  } while (0)

/* A row of a call that ends so. Without a word, a call that fails by its result
 * ends in failure, another in success. */
#define OUTCOME(word, ...)                                                     \
  do {                                                                         \
    outcome = word;                                                            \
    CALL(__VA_ARGS__);                                                         \
    outcome = NULL;                                                            \
  } while (0)
