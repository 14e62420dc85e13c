/*===- comparisons.c - memcmp and bcmp, as calls and as loads --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s
/* Pointers to libc's functions are to the program's own entries there. */
// RUN: %known_sets --ways O2 --flag=-fno-pic --flag=-no-pie %s

#include "known_sets.h"

/* Equal contents: every byte is read, whoever compares. */
static NOINLINE int compare(const char *a, const char *b, size_t n) {
  return memcmp(a, b, n);
}
static NOINLINE int equal_8(const char *a, const char *b) {
  return memcmp(a, b, 8) == 0; /* bcmp, and two loads */
}
static NOINLINE int equal_31(const char *a, const char *b) {
  return memcmp(a, b, 31) == 0;
}
static NOINLINE int order_16(const char *a, const char *b) {
  return memcmp(a, b, 16);
}

/* Called through pointers: libc's own, by way of the runtime. */
static int (*volatile libc_memcmp)(const void *, const void *, size_t) = memcmp;
static int (*volatile libc_strcmp)(const char *, const char *) = strcmp;
static int (*volatile libc_strncmp)(const char *, const char *,
                                    size_t) = strncmp;

/* They read up to the first byte that differs, and no farther: not into the next
 * page, be it there or not. */
static void up_to_the_difference(char *a, char *b) {
  static const size_t before_border[] = {1, 7, 8, 15, 16, 17, 33};
  for (size_t i = 0; i < sizeof before_border / sizeof *before_border; ++i)
    for (size_t same = 0; same < 40; ++same) {
      char *x = a + PAGE - before_border[i], *y = b + 5;
      memset(x, 'x', 64), memset(y, 'x', 64);
      x[same] = 'a', x[63] = y[63] = 0;
      expect_write(x, 64), expect_write(y, 64), end_period();
      require(libc_memcmp(x, y, 64) < 0);
      expect_read(x, same + 1), expect_read(y, same + 1), end_period();
      require(libc_memcmp(y, x, same + 1) > 0);
      expect_read(x, same + 1), expect_read(y, same + 1), end_period();
      require(libc_memcmp(x, y, same) == 0);
      if (same)
        expect_read(x, same), expect_read(y, same);
      end_period();
      require(libc_strcmp(x, y) < 0);
      expect_read(x, same + 1), expect_read(y, same + 1), end_period();
      require(libc_strncmp(y, x, same + 1) > 0);
      expect_read(x, same + 1), expect_read(y, same + 1), end_period();
      require(libc_strncmp(x, y, same) == 0);
      if (same)
        expect_read(x, same), expect_read(y, same);
      end_period();
    }
}

/* Strings whose ends are the ends of their mappings. */
static void at_the_end(char *a, char *b) {
  for (size_t n = 1; n < 40; ++n) {
    char *x = a + PAGE - n, *y = b + PAGE - n;
    memset(x, 'x', n - 1), memset(y, 'x', n - 1);
    x[n - 1] = y[n - 1] = 0;
    expect_write(x, n), expect_write(y, n), end_period();
    require(libc_strcmp(x, y) == 0);
    expect_read(x, n), expect_read(y, n), end_period();
    require(libc_memcmp(x, y, n) == 0);
    expect_read(x, n), expect_read(y, n), end_period();
  }
}

int main(void) {
  char *a = arena(0, 64 * PAGE), *b = arena(1, 64 * PAGE);
  require(compare(a + 4090, b + 8190, 20000) == 0);
  expect_read(a + 4090, 20000), expect_read(b + 8190, 20000), end_period();
  require(equal_8(a + 4092, b + 3 * PAGE - 1));
  expect_read(a + 4092, 8), expect_read(b + 3 * PAGE - 1, 8), end_period();
  require(equal_31(a + 4096 - 30, b + 3 * PAGE));
  expect_read(a + 4096 - 30, 31), expect_read(b + 3 * PAGE, 31), end_period();
  require(order_16(a + 4096 - 8, b + 3 * PAGE - 15) == 0);
  expect_read(a + 4096 - 8, 16), expect_read(b + 3 * PAGE - 15, 16);
  end_period();
  require(compare(a, b, 0) == 0);
  end_period();
  up_to_the_difference(a, b);
  at_the_end(arena(2, PAGE), arena(3, PAGE));
  return 0;
}
