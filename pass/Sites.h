//===- Sites.h - Which place in the source made a mark ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a layout with sites, a mark stores the id of the place whose access it
// stands for. The id is a hash of the place's text: function, file, line,
// column and where the function was inlined, as debug information has them.
// So the same place has the same id in every compilation, and nobody needs to
// hand out numbers. Without debug information a place is its function.
//
// The module's table says what its ids mean. Two places can have one id; then
// the table has both.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class MDNode;
class Module;
} // namespace llvm

namespace pagetide {

/// A place in the source; 0 or empty: not known.
struct SourcePlace {
  std::string Function; ///< its linkage name
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
};

/// The sites of a module.
class SiteTable {
public:
  /// The id of the place of \p I. It gets into the table.
  uint32_t idOf(const llvm::Instruction &I);

  /// Adds the table to \p M, if there are sites. Returns a constructor and a
  /// destructor, which tell the runtime of it. They must not be marked.
  llvm::SmallVector<llvm::Function *, 2> emit(llvm::Module &M);

private:
  struct Site {
    uint32_t Id = 0;
    uint8_t Kind = 0; ///< trace::SiteKind
    /// The place itself, then where it was inlined, the innermost first.
    llvm::SmallVector<SourcePlace, 1> Places;
  };

  Site &siteOf(const llvm::Instruction &I);
  llvm::SmallVector<char, 0> encode() const;

  std::vector<Site> Sites;
  llvm::StringMap<unsigned> ByText; ///< indices into Sites
  /// Indices into Sites, by function and location.
  llvm::DenseMap<std::pair<const llvm::Function *, const llvm::MDNode *>,
                 unsigned>
      Known;
};

} // namespace pagetide
