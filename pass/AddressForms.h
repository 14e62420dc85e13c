//===- AddressForms.h - What addresses have in common -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An address is a pointer, plus values times constants, plus a constant:
//
//     a[i], a[i + 1], a[2 * i + 5]     a + 4 * i, a + 4 * i + 4, a + 8 * i + 20
//
// Addresses that differ only in the constant have one form. Their distance is
// known although none is computed from another. Sums of 64 bits wrap as
// addresses do. Narrower sums are split only if they cannot wrap: if they did,
// the address would be poison, and the access undefined.

#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace pagetide {

class AddressForms {
public:
  /// The place of an address: Offset bytes from the origin of its form.
  struct Place {
    unsigned Form;
    int64_t Offset;
  };

  /// Without \p SeesIndices, only addresses that are one value plus a constant
  /// share a form.
  AddressForms(const llvm::DataLayout &DL, bool SeesIndices)
      : DL(DL), SeesIndices(SeesIndices) {}

  /// The place of \p Address, which must not change while this object lives.
  Place find(llvm::Value *Address);

private:
  /// How a value becomes one of 64 bits.
  enum class Extension : uint8_t { None, Sign, Zero };
  using Term =
      std::tuple<llvm::Value *, Extension, uint64_t>; ///< the last is its scale
  /// A pointer, then the terms.
  using Form = std::pair<llvm::Value *, std::vector<Term>>;

  Place decompose(llvm::Value *Address);
  void addTerms(llvm::Value *V, Extension Extended, uint64_t Scale,
                unsigned Depth, std::vector<Term> &Terms, uint64_t &Offset);

  const llvm::DataLayout &DL;
  bool SeesIndices;
  std::map<Form, unsigned> Forms;
  llvm::DenseMap<llvm::Value *, Place> Places;
};

} // namespace pagetide
