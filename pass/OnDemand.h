//===- OnDemand.h - A plain and a marked copy of each function --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mode on-demand. Each function F exists twice: as it was, and as F.pagetide,
// which gets the marks. The plain copy begins with a test of one byte, which
// the runtime sets when it records. If the byte is set, the plain copy jumps to
// the marked one. So whoever calls F reaches the right copy.
//
// There is one byte per linked file (abi::kMarksOnSymbol). Both copies share
// all variables.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace pagetide {

class AsmTexts;

struct OnDemandFunctions {
  /// Originals and their copies, which are to be marked.
  llvm::SmallVector<std::pair<llvm::Function *, llvm::Function *>> Copies;
  /// Functions that exist once. So each of their marks must test the byte.
  llvm::SmallVector<llvm::Function *> Single;
};

/// Copies \p Functions of \p M, makes marked code call marked copies, and puts
/// the test into those functions that other code may call.
OnDemandFunctions splitOnDemand(llvm::Module &M,
                                llvm::ArrayRef<llvm::Function *> Functions,
                                const AsmTexts &Texts);

/// Whether \p F is to exist with and without marks, and can.
bool hasTwoCopies(llvm::Function &F, const AsmTexts &Texts);

/// The byte that says whether marks are on; made if \p M has none yet.
llvm::GlobalVariable *marksOnByte(llvm::Module &M);

} // namespace pagetide
