//===- ByteExtents.h - Ranges of bytes around one base ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pagetide {

/// What is known of an address: it is Residue modulo Modulus, a power of two.
struct Congruence {
  uint64_t Modulus = 1;
  uint64_t Residue = 0;

  void learn(uint64_t OtherModulus, uint64_t OtherResidue) {
    if (OtherModulus <= Modulus)
      return;
    Modulus = OtherModulus;
    Residue = OtherResidue & (OtherModulus - 1);
  }

  /// Keeps what is true if either this or \p Other is true.
  void forgetUnless(const Congruence &Other) {
    uint64_t Common = std::min(Modulus, Other.Modulus);
    while ((Residue ^ Other.Residue) & (Common - 1))
      Common /= 2;
    Modulus = Common;
    Residue &= Common - 1;
  }
};

/// A range of bytes, and what is known about the base. The range is given by
/// offsets from the base, which is the origin of their addresses' form.
struct ByteExtent {
  int64_t Low, High; ///< lowest and highest byte
  Congruence BaseIs;
  /// The near marks that marked it, on all paths.
  llvm::SmallVector<unsigned, 1> NearMarks = {};
  /// When the function's plan last needed it: a number that grows.
  uint64_t LastUse = 0;

  bool isWithin(uint64_t Bytes) const {
    return static_cast<uint64_t>(High) - static_cast<uint64_t>(Low) < Bytes;
  }

  bool contains(const ByteExtent &Other) const {
    return Low <= Other.Low && Other.High <= High;
  }

  /// Whether Low and High lie in one granule for certain.
  bool isInOneGranule(uint64_t GranuleBytes) const {
    uint64_t Known = std::min(BaseIs.Modulus, GranuleBytes);
    uint64_t Start =
        (BaseIs.Residue + static_cast<uint64_t>(Low)) & (Known - 1);
    return Start + static_cast<uint64_t>(High - Low) < Known;
  }

  /// Both extents, and what lies between them.
  ByteExtent joined(const ByteExtent &Other) const {
    ByteExtent Result = {
        std::min(Low, Other.Low), std::max(High, Other.High), BaseIs, {}};
    Result.BaseIs.learn(Other.BaseIs.Modulus, Other.BaseIs.Residue);
    return Result;
  }
};

using FormAndCell = std::pair<unsigned, unsigned>;

/// What every path to a place has marked, without a call or a loop after the
/// mark. All granules of these bytes are marked: those of the first and the
/// last byte.
using MarkedExtents = llvm::SmallDenseMap<FormAndCell, ByteExtent, 8>;

/// More would save nothing, and large functions would take long to compile.
/// What was not needed for longest gives way.
constexpr unsigned MaxMarkedExtents = 32;

/// Removes from \p Here what is not marked at the end of \p Other.
void intersect(MarkedExtents &Here, const MarkedExtents &Other);

} // namespace pagetide
