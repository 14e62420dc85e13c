/*===- vector_loops_avx2.c - Vectorised loops, with AVX2 -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: avx2
// RUN: %known_sets \
// RUN:   --ways O2:thread,O3,Os:process,O3/access:thread,O3/write:process,O3/rw/6:thread,O3/rw/21:process \
// RUN:   --flag=-mavx2 --flag=-Wno-pass-failed %s

#include "../Inputs/vector_loops.h"

#include <immintrin.h>

static NOINLINE __m256i load(const char *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}
static NOINLINE void store(char *p, __m256i value) {
  _mm256_storeu_si256((__m256i *)p, value);
}
static NOINLINE void stream(char *p, __m256i value) {
  _mm256_stream_si256((__m256i *)p, value);
}
/* Lanes whose mask's sign bit is set. */
static NOINLINE __m256i masked_load(const char *p, __m256i mask) {
  return _mm256_maskload_epi32((const int *)p, mask);
}
static NOINLINE void masked_store(char *p, __m256i mask, __m256i value) {
  _mm256_maskstore_epi32((int *)p, mask, value);
}
static NOINLINE __m256 gathered(const char *p, __m256i index) {
  return _mm256_i32gather_ps((const float *)p, index, 4);
}
static NOINLINE __m256i masked_gather(const char *p, __m256i index,
                                      __m256i mask) {
  return _mm256_mask_i32gather_epi32(index, (const int *)p, index, mask, 4);
}

int main(void) {
  char *a = arena(0, 8 * MIB), *b = arena(1, 8 * MIB), *c = arena(2, 8 * MIB);
  vector_loops(a, b, c);

  __m256i value = _mm256_set1_epi32(1);
  for (size_t offset = 0; offset <= 32; offset += 4) {
    char *p = a + PAGE - offset;
    value = _mm256_xor_si256(value, load(p));
    expect_read(p, 32), end_period();
    store(p, value);
    expect_write(p, 32), end_period();
    /* Lanes 0 and 7 alone: with offsets between, one on each page. */
    __m256i ends = _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, -1);
    value = _mm256_xor_si256(value, masked_load(p, ends));
    expect_read(p, 4), expect_read(p + 28, 4), end_period();
    masked_store(p, ends, value);
    expect_write(p, 4), expect_write(p + 28, 4), end_period();
    __m256i last = _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, -1);
    masked_store(p, last, value);
    expect_write(p + 28, 4), end_period();
    masked_store(p, _mm256_setzero_si256(), value);
    value = _mm256_xor_si256(value, masked_load(p, _mm256_setzero_si256()));
    end_period();
  }
  stream(a + 5 * PAGE, value);
  expect_write(a + 5 * PAGE, 32), end_period();

  __m256i index =
      _mm256_setr_epi32(0, 1023, 1024, 5000, 9999, 10240, 20000, 1);
  static const int offsets[] = {0, 1023, 1024, 5000, 9999, 10240, 20000, 1};
  __m256 floats = gathered(a, index);
  for (int i = 0; i < 8; ++i)
    expect_read(a + 4 * offsets[i], 4);
  end_period();
  value = masked_gather(a, index,
                        _mm256_setr_epi32(0, -1, 0, -1, 0, 0, -1, 0));
  expect_read(a + 4 * 1023, 4), expect_read(a + 4 * 5000, 4);
  expect_read(a + 4 * 20000, 4), end_period();
  __asm__ volatile("" : : "x"(value), "x"(floats));
  return 0;
}
