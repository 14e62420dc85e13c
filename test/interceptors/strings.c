/*===- strings.c - What the functions for strings read and write ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/access,O2/rw/6 --flag=-fno-builtin %s
// RUN: %known_sets --ways O2 --flag=-fno-builtin --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <strings.h>

static char *a, *b;

/* A string of n letters 'x' that ends at `end`, so that it may straddle pages;
 * put there by code that marks nothing. */
__attribute__((disable_sanitizer_instrumentation, noinline)) static char *
text(char *begin, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)begin)[i] = 'x';
  ((volatile char *)begin)[n] = 0;
  return begin;
}
__attribute__((disable_sanitizer_instrumentation, noinline)) static void
put(char *p, char c) {
  *(volatile char *)p = c;
}

static void measuring(void) {
  char *s = text(a + PAGE - 100, 5000);
  require_equal(strlen(s), 5000);
  expect_read(s, 5001), end_period();
  require_equal(strnlen(s, 50), 50); /* the first page only */
  expect_read(s, 50), end_period();
  require_equal(strnlen(s, 9000), 5000);
  expect_read(s, 5001), end_period();
}

static void searching(void) {
  char *s = text(a + PAGE - 100, 9000);
  put(s + 4500, 'y');
  require(strchr(s, 'y') == s + 4500);
  expect_read(s, 4501), end_period();
  require(strchr(s, 'z') == NULL);
  expect_read(s, 9001), end_period();
  require(strchr(s, 0) == s + 9000);
  expect_read(s, 9001), end_period();
  require(index(s, 'y') == s + 4500);
  expect_read(s, 4501), end_period();
  require(strchrnul(s, 'y') == s + 4500);
  expect_read(s, 4501), end_period();
  require(strrchr(s, 'y') == s + 4500);
  expect_read(s, 9001), end_period();
  require(rindex(s, 'z') == NULL);
  expect_read(s, 9001), end_period();
  require(memchr(s, 'y', 9000) == s + 4500);
  expect_read(s, 4501), end_period();
  require(rawmemchr(s, 'y') == s + 4500);
  expect_read(s, 4501), end_period();
  require(memrchr(s, 'y', 9000) == s + 4500);
  expect_read(s + 4500, 4500), end_period();
  require(memrchr(s, 'z', 9000) == NULL);
  expect_read(s, 9000), end_period();

  char *set = text(b + PAGE - 2, 3);
  put(set, 'y'), put(set + 1, 'q'), put(set + 2, 'y');
  require(strpbrk(s, set) == s + 4500);
  expect_read(s, 4501), expect_read(set, 4), end_period();
  require_equal(strcspn(s, set), 4500);
  expect_read(s, 4501), expect_read(set, 4), end_period();
  require_equal(strspn(s, set), 0);
  expect_read(s, 1), expect_read(set, 4), end_period();
  put(set, 'x');
  require_equal(strspn(s, set), 9000);
  expect_read(s, 9001), expect_read(set, 4), end_period();

  put(set, 'x'), put(set + 1, 'y'), put(set + 2, 0);
  require(strstr(s, set) == s + 4499);
  expect_read(s, 4501), expect_read(set, 3), end_period();
  put(set + 1, 'Y');
  require(strcasestr(s, set) == s + 4499);
  expect_read(s, 4501), expect_read(set, 3), end_period();
  require(strstr(s, set) == NULL);
  expect_read(s, 9001), expect_read(set, 3), end_period();
  require(memmem(s, 9000, set, 1) == s);
  expect_read(s, 1), expect_read(set, 1), end_period();
}

static void comparing(void) {
  char *s = text(a + PAGE - 100, 9000), *t = text(b + PAGE - 200, 9000);
  put(t + 4500, 'X');
  require(strcmp(s, t) > 0);
  expect_read(s, 4501), expect_read(t, 4501), end_period();
  require(strncmp(s, t, 150) == 0);
  expect_read(s, 150), expect_read(t, 150), end_period();
  require(strcasecmp(s, t) == 0);
  expect_read(s, 9001), expect_read(t, 9001), end_period();
  require(strncasecmp(s, t, 150) == 0);
  expect_read(s, 150), expect_read(t, 150), end_period();
  require(memcmp(s, t, 9000) > 0);
  expect_read(s, 4501), expect_read(t, 4501), end_period();
  /* Without rules of order, strcoll is strcmp. strverscmp may see numbers. */
  require(strcoll(s, t) != 0);
  expect_read(s, 4501), expect_read(t, 4501), end_period();
  require(strverscmp(s, t) != 0);
  expect_read(s, 4501), expect_read(t, 4501);
  expect_at(known_period_, thread_id(), s, 9001, "mr");
  expect_at(known_period_, thread_id(), t, 9001, "mr"), end_period();
}

/* What decides is among the first 16 characters, or just behind them. The
 * strings lie within a page, end with it, or go on in the next one. */
static void comparing_short(void) {
  const char *volatile nowhere = NULL;
  require(strncmp(nowhere, nowhere, 0) == 0); /* reads nothing */
  end_period();
  static const size_t lengths[] = {0, 1, 7, 15, 16, 17, 40};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    const size_t n = lengths[i];
    const size_t places[] = {PAGE / 2, PAGE - n - 1, PAGE - n / 2 - 1};
    for (size_t j = 0; j < sizeof places / sizeof *places; ++j) {
      char *s = text(a + places[j], n), *t = text(b + PAGE - 9, n + 1);
      require(strcmp(s, t) < 0);
      expect_read(s, n + 1), expect_read(t, n + 1), end_period();
      require(strcmp(t, s) > 0);
      expect_read(s, n + 1), expect_read(t, n + 1), end_period();
      require(strncmp(s, t, n + 1) < 0);
      expect_read(s, n + 1), expect_read(t, n + 1), end_period();
      require(strncmp(s, t, n) == 0);
      expect_read(s, n), expect_read(t, n), end_period();
      put(t + n, 0);
      require(strcmp(s, t) == 0);
      expect_read(s, n + 1), expect_read(t, n + 1), end_period();
      require(strncmp(s, t, 9000) == 0);
      expect_read(s, n + 1), expect_read(t, n + 1), end_period();
    }
  }
}

static void copying(void) {
  char *s = text(a + PAGE - 100, 5000);
  require(strcpy(b + 200, s) == b + 200);
  expect_read(s, 5001), expect_write(b + 200, 5001), end_period();
  require(stpcpy(b + 200, s) == b + 5200);
  expect_read(s, 5001), expect_write(b + 200, 5001), end_period();
  require(strncpy(b + 200, s, 50) == b + 200);
  expect_read(s, 50), expect_write(b + 200, 50), end_period();
  require(strncpy(b + 200, s, 9000) == b + 200);
  expect_read(s, 5001), expect_write(b + 200, 9000), end_period();
  require(stpncpy(b + 200, s, 9000) == b + 5200);
  expect_read(s, 5001), expect_write(b + 200, 9000), end_period();
  char *t = text(b + PAGE - 10, 4096);
  require(strcat(t, s) == t);
  expect_read(t, 4097), expect_read(s, 5001), expect_write(t + 4096, 5001);
  end_period();
  text(t, 4096);
  require(strncat(t, s, 50) == t);
  expect_read(t, 4097), expect_read(s, 50), expect_write(t + 4096, 51);
  end_period();
  put(s + 3000, 'y');
  require(memccpy(b, s, 'y', 9000) == b + 3001);
  expect_read(s, 3001), expect_write(b, 3001), end_period();
  char *copy = strdup(s), *part = strndup(s, 30);
  require(copy && part);
  expect_read(s, 5001), end_period();
  free(copy), free(part);
}

static void splitting(void) {
  char *s = text(a + PAGE - 4, 9);
  put(s + 3, ','), put(s + 4, ',');
  char *rest, **kept = (char **)(b + 5 * PAGE);
  char *set = text(b, 1);
  put(set, ',');
  require(strtok_r(s, set, &rest) == s);
  require(rest == s + 4);
  /* The zero is written where the comma stood, in the first page. */
  expect_read(s, 4), expect_write(s + 3, 1), expect_read(set, 2), end_period();
  require(strtok_r(NULL, set, &rest) == s + 5);
  expect_read(s + 4, 6), expect_read(set, 2), end_period();
  put(s + 3, ','), put(s + 4, ',');
  require(strtok(s, set) == s);
  expect_read(s, 4), expect_write(s + 3, 1), expect_read(set, 2), end_period();
  require(strtok(NULL, set) == s + 5);
  expect_read(s + 4, 6), expect_read(set, 2), end_period();
  put(s + 3, ','), put(s + 4, ',');
  *(char *volatile *)kept = s;
  expect_write(kept, 8), end_period();
  require(strsep(kept, set) == s);
  expect_both(kept, 8), expect_read(s, 4), expect_write(s + 3, 1);
  expect_read(set, 2), expect_read(kept, 8), end_period();
}

static void numbers(void) {
  char *s = a + PAGE - 3, **end = (char **)b;
  text(s, 20);
  put(s, ' '), put(s + 1, '1'), put(s + 2, '2'), put(s + 3, '3');
  require_equal(strtol(s, end, 10), 123);
  expect_read(s, 5), expect_write(end, 8), end_period();
  put(s + 2, 'x'), put(s + 3, 'x');
  require_equal(atoi(s), 1); /* " 1x" ends in the first page */
  expect_read(s, 3), end_period();
  require_equal(strtoul(s, NULL, 10), 1);
  expect_read(s, 3), end_period();
  require_equal(strtoll(s, NULL, 10), 1);
  expect_read(s, 3), end_period();
  require_equal(strtoull(s, NULL, 10), 1);
  expect_read(s, 3), end_period();
  require(strtod(s, end) == 1);
  expect_read(s, 3), expect_write(end, 8), end_period();
  put(s + 2, 'e'); /* an exponent might follow */
  require(strtod(s, end) == 1);
  expect_read(s, 4), expect_write(end, 8), end_period();
  put(s + 1, '0'), put(s + 2, 'x'), put(s + 3, 'q');
  require_equal(strtol(s, NULL, 0), 0); /* a hexadecimal digit might follow */
  expect_read(s, 4), end_period();
}

int main(void) {
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  end_period();
  measuring();
  searching();
  comparing();
  comparing_short();
  copying();
  splitting();
  numbers();
  return 0;
}
