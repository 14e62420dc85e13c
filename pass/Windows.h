//===- Windows.h - Two copies of a body that control can change -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mode windows. A function has two copies of its body, one of them with marks,
// and tests the module's byte (OnDemand.h) in more places than its entry:
//
//     entry          plain:   begin ... call g; test ... loop: ... test ... ret
//       test ->                             |                    |    ^
//                    marked:  begin ... call g; ......  loop: ... test ... ret
//
// - Behind calls, and where an exception is caught, plain code goes on as
//   marked code if marks are on.
// - At a loop's end, control changes to the copy that the byte asks for.
//
// So a thread gets marks wherever it is, soon after they were switched on, and
// loses them after they were switched off. Marked code never relies on a mark
// that was made before one of these places (MarkPlanner.cpp). Where a thread
// changes to marked code, it marks abi::kCoveredAddress: all that it runs from
// there on has marks. That tells the runtime since when its sets are exact.
//
// The idea of two copies with tests at backward edges is from M. Arnold and
// B. G. Ryder, "A framework for reducing the cost of instrumented code", PLDI
// 2001.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace pagetide {

/// Why control cannot change between copies of \p F; null if it can.
const char *whyNotSwitched(const llvm::Function &F);

/// A copy of a body, which is to be marked and then merged.
struct WindowCopy {
  llvm::Function *Original;
  llvm::Function *Copy;
  llvm::ValueToValueMapTy Values; ///< of the original, in the copy
};

/// Copies \p F into \p Result.
void copyForWindows(llvm::Function &F, WindowCopy &Result);

/// Moves the body of \p Pair's copy, which has its marks, into the original,
/// and removes the copy. \p MarkCovered puts the mark of kCoveredAddress before
/// an instruction.
void mergeForWindows(WindowCopy &Pair, llvm::GlobalVariable &On,
                     llvm::FunctionAnalysisManager &FAM,
                     llvm::function_ref<void(llvm::Instruction &)> MarkCovered);

} // namespace pagetide
