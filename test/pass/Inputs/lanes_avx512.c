// Vector operations of AVX-512 that access memory lane by lane.

#include "lanes.h"

#include <immintrin.h>

#define OPERATION(name)                                                        \
  static __attribute__((noinline)) void name(char *p, uint64_t mask,           \
                                             struct Operands *operands)

#define DATA (*(__m512i *)operands->data)
#define INDEX (*(const __m512i *)operands->index)
#define HALF_INDEX (*(const __m128i *)operands->index)

OPERATION(loadInts) { DATA = _mm512_maskz_loadu_epi32(mask, p); }
OPERATION(loadLongs) { DATA = _mm512_maskz_loadu_epi64(mask, p); }
OPERATION(loadBytes) { DATA = _mm512_maskz_loadu_epi8(mask, p); }
OPERATION(loadFourInts) {
  *(__m128i *)operands->data = _mm_maskz_loadu_epi32(mask, p);
}
OPERATION(loadOneFloat) {
  *(__m128 *)operands->data = _mm_maskz_load_ss(mask, (const float *)p);
}
OPERATION(storeInts) { _mm512_mask_storeu_epi32(p, mask, DATA); }
OPERATION(storeBytes) { _mm512_mask_storeu_epi8(p, mask, DATA); }

OPERATION(expandInts) { DATA = _mm512_maskz_expandloadu_epi32(mask, p); }
OPERATION(expandDoubles) {
  *(__m512d *)operands->data = _mm512_maskz_expandloadu_pd(mask, p);
}
OPERATION(compressInts) { _mm512_mask_compressstoreu_epi32(p, mask, DATA); }
OPERATION(compressLongs) {
  _mm256_mask_compressstoreu_epi64(p, mask, *(const __m256i *)operands->data);
}

OPERATION(narrowIntsToBytes) {
  _mm512_mask_cvtepi32_storeu_epi8(p, mask, DATA);
}
OPERATION(narrowLongsToInts) {
  _mm_mask_cvtsepi64_storeu_epi32(p, mask, *(const __m128i *)operands->data);
}
OPERATION(narrowLongsToShorts) {
  _mm512_mask_cvtusepi64_storeu_epi16(p, mask, DATA);
}
OPERATION(narrowShortsToBytes) {
  _mm512_mask_cvtepi16_storeu_epi8(p, mask, DATA);
}

OPERATION(gatherFloats) {
  *(__m512 *)operands->data =
      _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, INDEX, p, 4);
}
OPERATION(gatherFourDoubles) {
  *(__m256d *)operands->data =
      _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), mask, HALF_INDEX, p, 8);
}
OPERATION(scatterFloats) {
  _mm512_mask_i32scatter_ps(p, mask, INDEX, *(const __m512 *)operands->data, 4);
}
OPERATION(scatterInts) {
  _mm512_mask_i64scatter_epi32(p, mask, INDEX, *(const __m256i *)operands->data,
                               1);
}

const struct Case kCases[] = {
    {"loadInts", loadInts, 0, 4, 16, kSideBySide, 0},
    {"loadLongs", loadLongs, 0, 8, 8, kSideBySide, 0},
    {"loadBytes", loadBytes, 0, 1, 64, kSideBySide, 0},
    {"loadFourInts", loadFourInts, 0, 4, 4, kSideBySide, 0},
    {"loadOneFloat", loadOneFloat, 0, 4, 1, kSideBySide, 0},
    {"storeInts", storeInts, 1, 4, 16, kSideBySide, 0},
    {"storeBytes", storeBytes, 1, 1, 64, kSideBySide, 0},
    {"expandInts", expandInts, 0, 4, 16, kPacked, 0},
    {"expandDoubles", expandDoubles, 0, 8, 8, kPacked, 0},
    {"compressInts", compressInts, 1, 4, 16, kPacked, 0},
    {"compressLongs", compressLongs, 1, 8, 4, kPacked, 0},
    {"narrowIntsToBytes", narrowIntsToBytes, 1, 1, 16, kSideBySide, 0},
    {"narrowLongsToInts", narrowLongsToInts, 1, 4, 2, kSideBySide, 0},
    {"narrowLongsToShorts", narrowLongsToShorts, 1, 2, 8, kSideBySide, 0},
    {"narrowShortsToBytes", narrowShortsToBytes, 1, 1, 32, kSideBySide, 0},
    {"gatherFloats", gatherFloats, 0, 4, 16, kIndexed32, 4},
    {"gatherFourDoubles", gatherFourDoubles, 0, 8, 4, kIndexed32, 8},
    {"scatterFloats", scatterFloats, 1, 4, 16, kIndexed32, 4},
    {"scatterInts", scatterInts, 1, 4, 8, kIndexed64, 1},
    {0},
};

int canRunCases(void) {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq");
}
