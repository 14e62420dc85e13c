/*===- vector_loops_avx512.c - Vectorised loops, with AVX-512 --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: avx512f
// RUN: %known_sets --ways O2,O3,Os,O3/access,O3/write,O3/rw/6,O3/rw/21 \
// RUN:   --flag=-mavx512f --flag=-mprefer-vector-width=512 \
// RUN:   --flag=-Wno-pass-failed %s

#include "../Inputs/vector_loops.h"

#include <immintrin.h>

static NOINLINE __m512i load(const char *p) { return _mm512_loadu_si512(p); }
static NOINLINE void store(char *p, __m512i value) {
  _mm512_storeu_si512(p, value);
}
static NOINLINE __m512i masked_load(const char *p, __mmask16 mask) {
  return _mm512_maskz_loadu_epi32(mask, p);
}
static NOINLINE void masked_store(char *p, __mmask16 mask, __m512i value) {
  _mm512_mask_storeu_epi32(p, mask, value);
}
static NOINLINE __m512i expand_load(const char *p, __mmask16 mask) {
  return _mm512_maskz_expandloadu_epi32(mask, p);
}
static NOINLINE void compress_store(char *p, __mmask16 mask, __m512i value) {
  _mm512_mask_compressstoreu_epi32(p, mask, value);
}
static NOINLINE __m512i gathered(const char *p, __m512i index, __mmask16 mask) {
  return _mm512_mask_i32gather_epi32(index, mask, index, p, 4);
}
static NOINLINE void scattered(char *p, __m512i index, __mmask16 mask,
                               __m512i value) {
  _mm512_mask_i32scatter_epi32(p, mask, index, value, 4);
}

int main(void) {
  char *a = arena(0, 8 * MIB), *b = arena(1, 8 * MIB), *c = arena(2, 8 * MIB);
  vector_loops(a, b, c);

  __m512i value = _mm512_set1_epi32(1);
  for (size_t offset = 0; offset <= 64; offset += 4) {
    char *p = a + PAGE - offset;
    value = _mm512_xor_si512(value, load(p));
    expect_read(p, 64), end_period();
    store(p, value);
    expect_write(p, 64), end_period();
    value = _mm512_xor_si512(value, masked_load(p, 0x8001));
    expect_read(p, 4), expect_read(p + 60, 4), end_period();
    masked_store(p, 0x8001, value);
    expect_write(p, 4), expect_write(p + 60, 4), end_period();
    masked_store(p, 0x8000, value);
    expect_write(p + 60, 4), end_period();
    /* Three lanes' worth of memory, whichever lanes they are. */
    value = _mm512_xor_si512(value, expand_load(p, 0x8101));
    expect_read(p, 12), end_period();
    compress_store(p, 0x8101, value);
    expect_write(p, 12), end_period();
    masked_store(p, 0, value);
    compress_store(p, 0, value);
    value = _mm512_xor_si512(value, masked_load(p, 0));
    value = _mm512_xor_si512(value, expand_load(p, 0));
    end_period();
  }

  int offsets[16];
  for (int i = 0; i < 16; ++i)
    offsets[i] = i * 1000 + (i & 1);
  __m512i index = _mm512_loadu_si512(offsets);
  value = gathered(a, index, 0xffff);
  __asm__ volatile("" : : "x"(value));
  for (int i = 0; i < 16; ++i)
    expect_read(a + 4 * offsets[i], 4);
  end_period();
  value = gathered(a, index, 0x0a50);
  for (int i = 0; i < 16; ++i)
    if (0x0a50 >> i & 1)
      expect_read(a + 4 * offsets[i], 4);
  end_period();
  scattered(a, index, 0x0a50, value);
  for (int i = 0; i < 16; ++i)
    if (0x0a50 >> i & 1)
      expect_write(a + 4 * offsets[i], 4);
  end_period();
  scattered(a, index, 0, value);
  value = gathered(a, index, 0);
  __asm__ volatile("" : : "x"(value));
  end_period();
  return 0;
}
