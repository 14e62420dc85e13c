/*===- checksums.c - The checksum of every written page is its XXH3 --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --checksum written --plain %support/reference_hash.c \
// RUN:   --ways O0:process,O2,O2/write:thread,O2/rw/6:process,O2/rw/9:thread,O2/rw/21:process %s
// Units of several granules, which the recording asks for.
// RUN: %known_sets --checksum written --plain %support/reference_hash.c \
// RUN:   --ways O1/rw/6/exact/7:thread,O2/write/6/exact/9:process,O2/rw/6/exact/12:thread,O2/rw/6/exact/21:process %s
// RUN: %known_sets --checksum written --unstable rehash \
// RUN:   --ways O2/rw/6/exact/12 --plain %support/reference_hash.c %s
// RUN: %known_sets --checksum written --unstable rehash --ways O2 \
// RUN:   --plain %support/reference_hash.c %s
// RUN: %known_sets --checksum written --unstable stop --ways O2 \
// RUN:   --plain %support/reference_hash.c %s
// Also checksums of pages that were only read, if requested, and if the layout
// cannot tell.
// RUN: %known_sets --checksum accessed --env READ_TOO=1 \
// RUN:   --ways O2:thread,O2/access:process,O2/rw/6:thread --plain %support/reference_hash.c %s

#include "known_sets.h"
#include "reference_hash.h"

static char *a, *b;
static int reads_too;

/* States the checksum that the granules of the range must have now. */
static void expect_checksum(const char *p, size_t bytes) {
  uintptr_t first = (uintptr_t)p & -(uintptr_t)GRANULE;
  for (uintptr_t at = first; at < (uintptr_t)p + bytes; at += GRANULE)
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_, (unsigned long long)at,
               (unsigned long long)reference_hash((void *)at, GRANULE));
}

static void write_some(char *p, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i)
    p[i] = (char)((i * 7919 + (size_t)seed) >> 3);
  expect_write(p, bytes);
  expect_checksum(p, bytes);
}

int main(void) {
  reads_too = getenv("READ_TOO") != NULL;
  a = arena(0, 16 * MIB), b = arena(1, 16 * MIB);

  write_some(a, 10 * PAGE, 1);
  end_period();
  /* The same contents elsewhere, and again: equal. One bit: not. */
  write_some(b, 10 * PAGE, 1);
  end_period();
  require(reference_hash(a, PAGE) == reference_hash(b, PAGE));
  write_some(a, 10 * PAGE, 1);
  end_period();
  a[5 * PAGE + 123] ^= 0x10;
  expect_both(a + 5 * PAGE + 123, 1);
  expect_checksum(a + 5 * PAGE + 123, 1);
  require(reference_hash(a + 5 * PAGE, PAGE) !=
          reference_hash(b + 5 * PAGE, PAGE));
  end_period();
  a[5 * PAGE + 123] ^= 0x10;
  expect_both(a + 5 * PAGE + 123, 1);
  expect_checksum(a + 5 * PAGE + 123, 1);
  end_period();

  /* Written and left as it was is written; read alone is not. */
  volatile char *same = a + 7 * PAGE;
  *same = *same;
  expect_both(a + 7 * PAGE, 1);
  expect_checksum(a + 7 * PAGE, 1);
  end_period();
  char value = *(volatile char *)(b + 9 * PAGE);
  OPAQUE(value);
  expect_read(b + 9 * PAGE, 1);
  if (reads_too)
    expect_checksum(b + 9 * PAGE, 1);
  end_period();
  end_period();

  /* Zero pages, scattered ones, many at once. */
  *(volatile char *)(b + 10 * MIB) = 0;
  expect_write(b + 10 * MIB, 1), expect_checksum(b + 10 * MIB, 1);
  end_period();
  for (size_t i = 0; i < 200; ++i)
    a[i * 7 * PAGE + i] = (char)i;
  for (size_t i = 0; i < 200; ++i) {
    expect_write(a + i * 7 * PAGE + i, 1);
    expect_checksum(a + i * 7 * PAGE + i, 1);
  }
  end_period();
  memset(a, 3, 4 * MIB);
  expect_write(a, 4 * MIB), expect_checksum(a, 4 * MIB);
  end_period();
  return 0;
}
