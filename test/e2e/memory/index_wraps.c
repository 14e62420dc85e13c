/*===- index_wraps.c - Indices of 32 bits that wrap, or nearly -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s

/* a[i], a[i + 1], ... with an unsigned i share one mark of precision near, though
 * where i + 1 wraps they lie 4 GiB apart. Both ends are mapped here. */

#include "known_sets.h"

enum { kElements = 6 };

/* Each element is looked at only if the one before it was 0. */
static NOINLINE unsigned bytes_equal(const unsigned char *a, uint32_t i) {
  if (a[i] != 0)
    return 1;
  if (a[(uint32_t)(i + 1)] != 0)
    return 2;
  if (a[(uint32_t)(i + 2)] != 0)
    return 3;
  if (a[(uint32_t)(i + 3)] != 0)
    return 4;
  if (a[(uint32_t)(i + 4)] != 0)
    return 5;
  return a[(uint32_t)(i + 5)] ? 6 : 0;
}

/* The first sum that is made may have wrapped already. */
static NOINLINE uint64_t words_after(const uint64_t *a, uint32_t i) {
  uint64_t first = a[(uint32_t)(i + 1)];
  if (first != 0)
    return first;
  return a[(uint32_t)(i + 2)] + a[(uint32_t)(i + 3)];
}

static NOINLINE void store_bytes(unsigned char *a, uint32_t i, uint32_t n) {
  a[i] = 0;
  if (n > 1)
    a[(uint32_t)(i + 1)] = 0;
  if (n > 2)
    a[(uint32_t)(i + 2)] = 0;
  if (n > 3)
    a[(uint32_t)(i + 3)] = 0;
}

static const unsigned char *byte_at(const unsigned char *a, uint32_t i) {
  return a + i;
}

int main(void) {
  /* Pages at 0 and at 4 GiB - 4 pages of an array of bytes; the same of one of
   * words, which ends 32 GiB up. */
  unsigned char *a = (unsigned char *)arena(0, 2 * PAGE);
  unsigned char *end =
      (unsigned char *)arena(3, GIB) + GIB - 2 * PAGE; /* up to 4 GiB */
  uint64_t *words = (uint64_t *)arena(8, 2 * PAGE);
  uint64_t *words_end = (uint64_t *)arena(39, GIB) + (GIB - PAGE) / 8;
  require(end + 2 * PAGE == a + ((size_t)1 << 32));
  require(words_end + PAGE / 8 == words + ((size_t)1 << 32));

  for (uint32_t back = 0; back <= kElements + 1; ++back) {
    uint32_t i = 0u - back;
    for (uint32_t k = 0; k < kElements; ++k)
      expect_read(byte_at(a, i + k), 1);
    require(bytes_equal(a, i) == 0);
    end_period();

    for (uint32_t n = 1; n <= 4; ++n) {
      for (uint32_t k = 0; k < n; ++k)
        expect_write(byte_at(a, i + k), 1);
      if (back <= 3) { /* i + 3 wraps */
        allow_near_may(a, 1, "w");
        allow_near_may(end + 2 * PAGE - 1, 1, "w");
      }
      store_bytes(a, i, n);
      end_period();
    }

    for (uint32_t k = 1; k <= 3; ++k)
      expect_read(words + (uint32_t)(i + k), 8);
    require(words_after(words, i) == 0);
    end_period();
  }

  /* Far from where it wraps, across a page's end and not. */
  static const uint32_t kPlaces[] = {0, 1, 100, 4090, 4091, 4095, 4096};
  for (size_t at = 0; at < sizeof kPlaces / sizeof *kPlaces; ++at) {
    for (uint32_t k = 0; k < kElements; ++k)
      expect_read(a + kPlaces[at] + k, 1);
    require(bytes_equal(a, kPlaces[at]) == 0);
    end_period();
  }

  /* Where the walk ends early, the elements behind are not looked at. */
  a[0] = 1;
  expect_write(a, 1);
  end_period();
  expect_read(end + 2 * PAGE - 1, 1);
  expect_read(a, 1);
  require(bytes_equal(a, 0u - 1) == 2);
  end_period();
  return 0;
}
