/*===- characters.c - Wide characters and character sets ------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/access,O2/rw/6 --flag=-fno-builtin %s
// RUN: %known_sets --ways O2 --flag=-fno-builtin --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <iconv.h>
#include <locale.h>
#include <wchar.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static char *a, *b;

HIDDEN static wchar_t *wide(wchar_t *p, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((volatile wchar_t *)p)[i] = L'x';
  ((volatile wchar_t *)p)[n] = 0;
  return p;
}
HIDDEN static char *text(char *begin, const char *s) {
  size_t i = 0;
  do
    ((volatile char *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}
HIDDEN static void put(void *p, long value) { *(volatile long *)p = value; }

static void may(const void *p, size_t bytes, const char *what) {
  expect_at(known_period_, thread_id(), p, bytes, what);
}

static void wide_strings(void) {
  wchar_t *s = wide((wchar_t *)(a + PAGE - 40), 1500), *d = (wchar_t *)(b + 40);
  require_equal(wcslen(s), 1500);
  expect_read(s, 6004), end_period();
  require_equal(wcsnlen(s, 10), 10);
  expect_read(s, 40), end_period();
  require(wcscpy(d, s) == d);
  expect_read(s, 6004), expect_write(d, 6004), end_period();
  require(wcsncpy(d, s, 1010) == d);
  expect_read(s, 4040), expect_write(d, 4040), end_period();
  require(wcscmp(d, s) == 0);
  expect_read(s, 6004), expect_read(d, 6004), end_period();
  require(wcsncmp(d, s, 10) == 0);
  expect_read(s, 40), expect_read(d, 40), end_period();
  require(wmemcmp(d, s, 10) == 0);
  expect_read(s, 40), expect_read(d, 40), end_period();
  require(wcschr(s, L'x') == s);
  expect_read(s, 4), end_period();
  require(wcsrchr(s, L'y') == NULL);
  expect_read(s, 6004), end_period();
  require(wmemset(d, L'z', 2000) == d);
  expect_write(d, 8000), end_period();
  require(wmemcpy(d, s, 1200) == d);
  expect_read(s, 4800), expect_write(d, 4800), end_period();
  require(wmemchr(s, L'y', 10) == NULL);
  expect_read(s, 40), end_period();
  wide(d, 5);
  require(wcscat(d, s) == d);
  expect_read(d, 24), expect_read(s, 6004), expect_write(d + 5, 6004);
  end_period();
}

static void conversions(void) {
  char *s = text(a + PAGE - 3, "caf\xc3\xa9"), *d = b + 9 * PAGE - 3;
  wchar_t *w = (wchar_t *)(b + PAGE - 8);
  require_equal(mbstowcs(w, s, 100), 4);
  expect_read(s, 6), expect_write(w, 20), end_period();
  require_equal(mbstowcs(w, s, 2), 2); /* in the first page for certain */
  expect_read(s, 2), may(s, 6, "mr"), expect_write(w, 8), end_period();
  require_equal(wcstombs(d, w, 2), 2);
  may(w, 8, "mr"), expect_write(d, 2), end_period();
  require_equal(mbstowcs(w, s, 100), 4);
  expect_read(s, 6), expect_write(w, 20), end_period();
  require_equal(wcstombs(d, w, 100), 5);
  expect_read(w, 20), expect_write(d, 6), end_period();
  const char **at = (const char **)(a + 5 * PAGE);
  put(at, (long)s);
  mbstate_t state;
  memset(&state, 0, sizeof state);
  require_equal(mbsrtowcs(w, at, 2, &state), 2);
  expect_both(at, 8), expect_read(s, 2), expect_write(w, 8), end_period();
  require_equal(mbsrtowcs(w, at, 100, &state), 2);
  expect_both(at, 8), expect_read(s + 2, 4), expect_write(w, 12), end_period();
  require_equal(mbrtowc(w, s + 3, 100, &state), 2);
  expect_read(s + 3, 2), expect_write(w, 4), end_period();
  require_equal(wcrtomb(d + 2, 0xe9, &state), 2);
  expect_write(d + 2, 2), end_period();
}

static void character_sets(void) {
  iconv_t set = iconv_open("UTF-16LE", "UTF-8");
  require(set != (iconv_t)-1);
  char *s = text(a + PAGE - 3, "abcdef"), *d = b + PAGE - 4;
  char **in = (char **)(a + 5 * PAGE), **out = (char **)(b + 5 * PAGE);
  size_t *in_left = (size_t *)(a + 7 * PAGE), *out_left = (size_t *)(b + 7 * PAGE);
  put(in, (long)s), put(in_left, 6), put(out, (long)d), put(out_left, 1000);
  end_period();
  require(iconv(set, in, in_left, out, out_left) == 0);
  expect_read(s, 6), expect_write(d, 12), expect_both(in, 8), expect_both(out, 8);
  expect_both(in_left, 8), expect_both(out_left, 8), end_period();
  put(in, (long)s), put(in_left, 6), put(out, (long)d), put(out_left, 4);
  require(iconv(set, in, in_left, out, out_left) == (size_t)-1);
  require(errno == E2BIG);
  expect_read(s, 2), may(s + 2, 4, "mr"), expect_write(d, 4);
  expect_both(in, 8), expect_both(out, 8);
  expect_both(in_left, 8), expect_both(out_left, 8), end_period();
  iconv_close(set);
}

int main(void) {
  require(setlocale(LC_ALL, "C.UTF-8") != NULL);
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  end_period();
  wide_strings();
  conversions();
  character_sets();
  return 0;
}
