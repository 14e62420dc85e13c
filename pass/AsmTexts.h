//===- AsmTexts.h - What LLVM's assembler says of inline assembly -*- C++ -*-=//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own parser reads the texts of a module's inline assembly, one after
// the other as in its object file, and then once more. So it is not the
// spelling that decides whether a text may stand twice.

#pragma once

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace pagetide {

class AsmTexts {
public:
  explicit AsmTexts(llvm::Module &M);
  ~AsmTexts();

  /// True if a second copy of \p Asm in the module is sure to be accepted, and
  /// to define no symbol.
  bool mayRepeat(const llvm::CallBase &Asm) const;

  /// True if \p Asm sets the shadow's base, or accesses memory relative to it.
  bool usesShadowBase(const llvm::CallBase &Asm) const;

  /// The same, of the assembly that belongs to no function.
  bool moduleUsesShadowBase() const { return ModuleUsesShadowBase; }

  /// What is known of a text.
  struct Findings {
    bool MayRepeat = false;
    bool UsesShadowBase = false;
  };

private:
  class Assembler;
  std::unique_ptr<Assembler> Parser; ///< null if there is nothing to parse
  llvm::StringMap<Findings> Known;   ///< by the text with its operands
  bool ModuleUsesShadowBase = false;
};

} // namespace pagetide
