/*===- formats.c - What printf and scanf read and write -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/access,O2/rw/6 --flag=-fno-builtin %s
// RUN: %known_sets --ways O2 --flag=-fno-builtin --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <wchar.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static char *a, *b;

HIDDEN static char *text(char *begin, const char *s) {
  size_t i = 0;
  do
    ((volatile char *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}
HIDDEN static wchar_t *wide_text(wchar_t *begin, const wchar_t *s) {
  size_t i = 0;
  do
    ((volatile wchar_t *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}

static void printing(void) {
  char *s = text(a + PAGE - 2, "abcdef");
  /* The string and the result straddle pages. */
  char *d = b + PAGE - 3;
  require_equal(sprintf(d, "%s", s), 6);
  expect_read(s, 7), expect_write(d, 7), end_period();
  require_equal(sprintf(d, "%.2s", s), 2); /* to the first page's end */
  expect_read(s, 2), expect_write(d, 3), end_period();
  require_equal(sprintf(d, "%.*s!", 2, s), 2 + 1);
  expect_read(s, 2), expect_write(d, 4), end_period();
  require_equal(snprintf(d, 3, "%s", s), 6); /* only what has room */
  expect_read(s, 7), expect_write(d, 3), end_period();
  require_equal(snprintf(d, 2000, "%d%c%g%Lg%p%%", 1, 'x', 2.0, 3.0L, (void *)0),
                4 + 5 + 1);
  expect_write(d, 11), end_period();
  require_equal(snprintf(NULL, 0, "%s", s), 6);
  expect_read(s, 7), end_period();
  /* Nine reals: the last is on the stack, and so is what follows it. */
  require_equal(snprintf(d, 2000, "%g%g%g%g%g%g%g%g%g%s%Lg%s", 1., 1., 1., 1.,
                         1., 1., 1., 1., 1., s, 1.0L, s),
                22);
  expect_read(s, 7), expect_write(d, 23), end_period();
  char *t = text(a + 9 * PAGE, "t");
  require_equal(snprintf(d, 2000, "%2$s%1$s", s, t), 7);
  expect_read(s, 7), expect_read(t, 2), expect_write(d, 8), end_period();
  require_equal(snprintf(d, 2000, "%3$*1$.*2$s", 4, 2, s), 4);
  expect_read(s, 2), expect_write(d, 5), end_period();
  wchar_t *w = wide_text((wchar_t *)(a + 5 * PAGE - 8), L"wxyz");
  require_equal(snprintf(d, 2000, "%ls", w), 4);
  expect_read(w, 20), expect_write(d, 5), end_period();
  int fd = (int)syscall(SYS_memfd_create, "file", 0);
  require_equal(dprintf(fd, "%s", s), 6);
  expect_read(s, 7), end_period();
  char *made;
  require_equal(asprintf(&made, "%s", s), 6);
  expect_read(s, 7), end_period();
  free(made);
  wchar_t *wd = (wchar_t *)(b + 6 * PAGE - 4);
  require_equal(swprintf(wd, 100, L"%ls%s", w, t), 5);
  expect_read(w, 20), expect_read(t, 2), expect_write(wd, 24), end_period();
  require_equal(swprintf(wd, 100, L"%.2ls", w), 2);
  expect_read(w, 8), expect_write(wd, 12), end_period();
}

/* With _FORTIFY_SOURCE the format must be in memory that cannot be written. */
static void counting(void) {
  int *n = (int *)(b + 20 * PAGE);
  short *h = (short *)(b + 22 * PAGE);
  require_equal(snprintf(b, 100, "abc%n%hnd", n, h), 4);
  expect_write(b, 5), expect_write(n, 4), expect_write(h, 2), end_period();
}

static void scanning(void) {
  char *s = text(a + PAGE - 2, "12 word 3.5 xyz 9");
  int *i = (int *)(b + PAGE);
  double *d = (double *)(b + 3 * PAGE);
  char *w = b + 5 * PAGE - 2, *c = b + 8 * PAGE - 1;
  int *end = (int *)(b + 10 * PAGE);
  require_equal(sscanf(s, "%d", i), 1);
  expect_read(s, 18), expect_write(i, 4), end_period();
  require_equal(sscanf(s, "%d %s", i, w), 2);
  expect_read(s, 18), expect_write(i, 4), expect_write(w, 5), end_period();
  require_equal(sscanf(s, "%*d %1s%n", w, end), 1); /* to the page's end */
  expect_read(s, 18), expect_write(w, 2), expect_write(end, 4), end_period();
  require_equal(sscanf(s, "%*d %*s %lf %[x-z]", d, w), 2);
  expect_read(s, 18), expect_write(d, 8), expect_write(w, 4), end_period();
  require_equal(sscanf(s, "%d %d", i, (int *)d), 1); /* the second fails */
  expect_read(s, 18), expect_write(i, 4), end_period();
  require_equal(sscanf(s, "%d word%n", i, end), 1);
  expect_read(s, 18), expect_write(i, 4);
  expect_at(known_period_, thread_id(), end, 4, "mw"), end_period();
  require_equal(sscanf(s, "%2c", c), 1);
  expect_read(s, 18), expect_write(c, 1);
  expect_at(known_period_, thread_id(), c, 2, "mw"), end_period();
  char **made = (char **)(b + 12 * PAGE);
  require_equal(sscanf(s, "%*d %ms", made), 1);
  expect_read(s, 18), expect_write(made, 8), end_period();
  free(*made);
  expect_read(made, 8), end_period();
  require_equal(sscanf(s, "%2$s", NULL, w), 1);
  expect_read(s, 18), expect_write(w, 3), end_period();
  wchar_t *ws = wide_text((wchar_t *)(a + 5 * PAGE - 8), L"4 w");
  require_equal(swscanf(ws, L"%d %ls", i, (wchar_t *)w), 2);
  expect_read(ws, 16), expect_write(i, 4), expect_write(w, 8), end_period();
}

int main(void) {
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  end_period();
  printing();
  counting();
  scanning();
  return 0;
}
