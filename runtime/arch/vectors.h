//===- vectors.h - Sixteen bytes at a time --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not part of a header that all interceptors include: the processor's header
// may declare functions of libc.

#pragma once

#include "arch/syscall.h"

namespace pagetide {

constexpr uptr kBlock = 16; ///< bytes that are looked at at once

/// Bit I is set if byte I of the blocks at `a` and at `b` differs.
inline u32 Differences(const u8 *a, const u8 *b);
/// The same of strings; a bit is also set where the first one ends.
inline u32 DifferencesOrEnds(const u8 *a, const u8 *b);
/// Bit I is set if byte I of an aligned block is `c` or 0.
inline u32 MatchesOrEnds(const u8 *block, u8 c);
/// Whether the eight words of an aligned cache line have no bit of `mask`.
inline bool IsEmptyLine(const u8 *line, u64 mask = ~u64{0});

/// True if the blocks at both places end within their pages. A string's block
/// that does not may lie partly in a page that the string does not reach.
inline bool BlocksStayInPages(const u8 *a, const u8 *b) {
  constexpr uptr kPage = 4096;
  return (uptr)a % kPage <= kPage - kBlock && (uptr)b % kPage <= kPage - kBlock;
}

} // namespace pagetide

#include "arch/x86_64/vectors.h" // IWYU pragma: export
