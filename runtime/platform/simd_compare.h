//===- simd_compare.h - Sixteen bytes at a time ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not part of a header that all interceptors include: <emmintrin.h> declares
// functions of libc.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_SIMD_COMPARE_H
#define PAGETIDE_RUNTIME_PLATFORM_SIMD_COMPARE_H

#include "platform/syscalls.h"

#include <emmintrin.h>

namespace pagetide {

constexpr uptr kBlock = 16; ///< bytes that are compared at once

/// Bit I is set if byte I of the blocks at `a` and at `b` differs.
inline u32 Differences(const u8 *a, const u8 *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a);
  const __m128i y = _mm_loadu_si128((const __m128i *)b);
  return (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) ^ 0xffff;
}
/// The same of strings; a bit is also set where the first one ends.
inline u32 DifferencesOrEnds(const u8 *a, const u8 *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a);
  const __m128i ends = _mm_cmpeq_epi8(x, _mm_setzero_si128());
  return (u32)_mm_movemask_epi8(ends) | Differences(a, b);
}
/// True if the blocks at both places end within their pages. A string's block
/// that does not may lie partly in a page that the string does not reach.
inline bool BlocksStayInPages(const u8 *a, const u8 *b) {
  constexpr uptr kPage = 4096;
  return (uptr)a % kPage <= kPage - kBlock && (uptr)b % kPage <= kPage - kBlock;
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_SIMD_COMPARE_H
