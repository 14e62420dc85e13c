//===- vectors.h - Sixteen bytes at a time, by SSE2 -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <emmintrin.h>

namespace pagetide {

inline u32 Differences(const u8 *a, const u8 *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a);
  const __m128i y = _mm_loadu_si128((const __m128i *)b);
  return (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) ^ 0xffff;
}

inline u32 DifferencesOrEnds(const u8 *a, const u8 *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a);
  const __m128i ends = _mm_cmpeq_epi8(x, _mm_setzero_si128());
  return (u32)_mm_movemask_epi8(ends) | Differences(a, b);
}

inline u32 MatchesOrEnds(const u8 *block, u8 c) {
  const __m128i bytes = _mm_load_si128((const __m128i *)block);
  return (u32)_mm_movemask_epi8(
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)c)),
                   _mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
}

inline bool IsEmptyLine(const u8 *line, u64 mask) {
  const __m128i *part = (const __m128i *)line;
  __m128i any = _mm_or_si128(_mm_or_si128(part[0], part[1]),
                             _mm_or_si128(part[2], part[3]));
  any = _mm_and_si128(any, _mm_set1_epi64x((long long)mask));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xffff;
}

} // namespace pagetide
