/*===- streams.c - What libc's streams read and write ---------------------===*
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
static FILE *file;

HIDDEN static void fill(char *p, size_t n, const char *with) {
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)p)[i] = with[i % strlen(with)];
}
HIDDEN static void put(void *p, long value) { *(volatile long *)p = value; }
HIDDEN static char *pointer(const void *p) {
  return *(char *const volatile *)p;
}

static void may(const void *p, size_t bytes, const char *what) {
  expect_at(known_period_, thread_id(), p, bytes, what);
}

static void blocks(void) {
  char *from = a + PAGE - 100, *to = b + PAGE - 100;
  fill(from, 10000, "x");
  require(fwrite(from, 10, 1000, file) == 1000);
  expect_read(from, 10000), end_period();
  rewind(file);
  require(fread(to, 10, 5, file) == 5); /* the first page only */
  expect_write(to, 50), end_period();
  require(fread(to, 10, 995, file) == 995);
  expect_write(to, 9950), end_period();
  fseek(file, -25, SEEK_END);
  char *end = b + 8 * PAGE - 20;
  require(fread(end, 10, 1000, file) == 2); /* and half an item */
  expect_write(end, 20), may(end + 20, 9, "mw"), end_period();
  require(fread(end, 10, 1000, file) == 0);
  may(end, 9, "mw"), end_period();
}

static void lines(void) {
  rewind(file);
  fill(a, 200, "y");
  put(a + 192, 0);
  require(fputs(a, file) >= 0);
  expect_read(a, 193), end_period();
  fill(a + PAGE - 8, 8, "\n");
  put(a + PAGE, 0);
  require(fputs(a + PAGE - 8, file) >= 0);
  expect_read(a + PAGE - 8, 9), end_period();
  rewind(file);
  char *to = b + PAGE - 50;
  require(fgets(to, 50, file) == to); /* it fills the room */
  expect_write(to, 50), end_period();
  require(fgets(to, 9000, file) == to); /* to the line's end */
  expect_write(to, 192 - 49 + 2), end_period();
  require(fgetc(file) == '\n');
  char **line = (char **)(a + 9 * PAGE);
  size_t *room = (size_t *)(a + 11 * PAGE);
  put(line, 0), put(room, 0);
  require(getline(line, room, file) == 1); /* makes a buffer */
  expect_both(line, 8), expect_write(room, 8), end_period();
  free(pointer(line));
  put(line, (long)to), put(room, 500);
  require(getline(line, room, file) == 1);
  expect_read(line, 8), expect_read(room, 8), expect_write(to, 2), end_period();
  /* A line without an end may have had a zero in it. */
  FILE *other = tmpfile();
  require(other && fwrite("abc", 1, 3, other) == 3);
  rewind(other);
  end_period();
  require(fgets(to, 1000, other) == to);
  expect_write(to, 4), may(to, 1000, "mw"), end_period();
  require(fgets(to, 1000, other) == NULL);
  end_period(); /* nothing was read */
  fclose(other);
}

static void formatted(void) {
  rewind(file);
  fill(a, 8, "12 34\n");
  put(a + 8, 0);
  require(fprintf(file, "%s", a) == 8);
  expect_read(a, 9), end_period();
  rewind(file);
  int *x = (int *)(b + PAGE), *y = (int *)(b + 3 * PAGE);
  require(fscanf(file, "%d%d", x, y) == 2);
  expect_write(x, 4), expect_write(y, 4), end_period();
  fpos_t *at = (fpos_t *)(b + 5 * PAGE - 8);
  require(fgetpos(file, at) == 0);
  expect_write(at, 16), end_period();
  require(fsetpos(file, at) == 0);
  expect_read(at, 16), end_period();
}

static void in_memory(void) {
  char **buffer = (char **)(a + PAGE);
  size_t *bytes = (size_t *)(a + 3 * PAGE);
  FILE *f = open_memstream(buffer, bytes);
  require(f != NULL);
  end_period(); /* libc writes them when it flushes */
  require(fputs("words", f) >= 0);
  end_period();
  require(fflush(f) == 0);
  expect_write(buffer, 8), expect_write(bytes, 8), end_period();
  require(fclose(f) == 0);
  expect_write(buffer, 8), expect_write(bytes, 8), end_period();
  free(pointer(buffer));
}

int main(void) {
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  file = tmpfile();
  require(file != NULL);
  end_period();
  blocks();
  lines();
  formatted();
  in_memory();
  fclose(file);
  return 0;
}
