// Vector operations of SSE2, AVX and AVX2 that access memory lane by lane.

#include "lanes.h"

#include <immintrin.h>

#define OPERATION(name)                                                        \
  static __attribute__((noinline)) void name(char *p, uint64_t mask,           \
                                             struct Operands *operands)

// The same mask as the top bits of lanes of 8, 32 and 64 bits; the other bits
// say the opposite.
static __m128i topBits8(uint64_t mask) {
  unsigned char lanes[16];
  for (int i = 0; i < 16; ++i)
    lanes[i] = mask >> i & 1 ? 0x80 : 0x7f;
  return _mm_loadu_si128((const __m128i *)lanes);
}

static __m256i topBits32(uint64_t mask) {
  uint32_t lanes[8];
  for (int i = 0; i < 8; ++i)
    lanes[i] = mask >> i & 1 ? 0x80000000u : 0x7fffffffu;
  return _mm256_loadu_si256((const __m256i *)lanes);
}

static __m256i topBits64(uint64_t mask) {
  uint64_t lanes[4];
  for (int i = 0; i < 4; ++i)
    lanes[i] = mask >> i & 1 ? 0x8000000000000000u : 0x7fffffffffffffffu;
  return _mm256_loadu_si256((const __m256i *)lanes);
}

OPERATION(loadFloats) {
  *(__m256 *)operands->data =
      _mm256_maskload_ps((const float *)p, topBits32(mask));
}
OPERATION(loadDoubles) {
  *(__m256d *)operands->data =
      _mm256_maskload_pd((const double *)p, topBits64(mask));
}
OPERATION(storeInts) {
  _mm256_maskstore_epi32((int *)p, topBits32(mask),
                         *(const __m256i *)operands->data);
}
OPERATION(storeDoubles) {
  _mm256_maskstore_pd((double *)p, topBits64(mask),
                      *(const __m256d *)operands->data);
}
OPERATION(storeBytes) {
  _mm_maskmoveu_si128(*(const __m128i *)operands->data, topBits8(mask), p);
}
OPERATION(storeBytesMmx) {
  __m128i lanes = topBits8(mask);
  _mm_maskmove_si64(*(const __m64 *)operands->data, _mm_movepi64_pi64(lanes),
                    p);
  _mm_empty();
}
OPERATION(gatherFloats) {
  *(__m256 *)operands->data = _mm256_mask_i32gather_ps(
      _mm256_setzero_ps(), (const float *)p, *(const __m256i *)operands->index,
      _mm256_castsi256_ps(topBits32(mask)), 4);
}
OPERATION(gatherTwoFloats) {
  *(__m128 *)operands->data = _mm_mask_i64gather_ps(
      _mm_setzero_ps(), (const float *)p, *(const __m128i *)operands->index,
      _mm256_castps256_ps128(_mm256_castsi256_ps(topBits32(mask))), 2);
}
OPERATION(gatherDoubles) {
  *(__m256d *)operands->data = _mm256_mask_i32gather_pd(
      _mm256_setzero_pd(), (const double *)p, *(const __m128i *)operands->index,
      _mm256_castsi256_pd(topBits64(mask)), 1);
}

const struct Case kCases[] = {
    {"loadFloats", loadFloats, 0, 4, 8, kSideBySide, 0},
    {"loadDoubles", loadDoubles, 0, 8, 4, kSideBySide, 0},
    {"storeInts", storeInts, 1, 4, 8, kSideBySide, 0},
    {"storeDoubles", storeDoubles, 1, 8, 4, kSideBySide, 0},
    {"storeBytes", storeBytes, 1, 1, 16, kSideBySide, 0},
    {"storeBytesMmx", storeBytesMmx, 1, 1, 8, kSideBySide, 0},
    {"gatherFloats", gatherFloats, 0, 4, 8, kIndexed32, 4},
    {"gatherTwoFloats", gatherTwoFloats, 0, 4, 2, kIndexed64, 2},
    {"gatherDoubles", gatherDoubles, 0, 8, 4, kIndexed32, 1},
    {0},
};

int canRunCases(void) { return __builtin_cpu_supports("avx2"); }
