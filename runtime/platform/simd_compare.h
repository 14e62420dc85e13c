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

/// Bit I is set if byte I of the 16 at `a` and at `b` differs.
inline u32 Differences(const u8 *a, const u8 *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a);
  const __m128i y = _mm_loadu_si128((const __m128i *)b);
  return (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) ^ 0xffff;
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_SIMD_COMPARE_H
