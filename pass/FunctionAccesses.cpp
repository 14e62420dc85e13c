//===- FunctionAccesses.cpp - All accesses of one function ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionAccesses.h"

#include "Diagnostics.h"
#include "PassOptions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {
namespace {

void warnOfAsm(const Instruction &I) {
  reportWarning(*I.getModule(), I.getDebugLoc(),
                "what the inline assembly in function '" +
                    I.getFunction()->getName() +
                    "' touches through a pointer in a register goes unmarked; "
                    "give it memory operands, or mark by hand with "
                    "pagetide_mark_read() or pagetide_mark_written()");
}

void warnOfIntrinsic(const IntrinsicInst &I) {
  reportWarning(
      *I.getModule(), I.getDebugLoc(),
      "the memory that '" + I.getCalledFunction()->getName() +
          "' touches in function '" + I.getFunction()->getName() +
          "' goes unmarked, since the pass does not know the intrinsic; mark "
          "it by hand with pagetide_mark_read() or pagetide_mark_written()");
}

} // namespace

FunctionAccesses::FunctionAccesses(Function &F, const PassOptions &Options) {
  SmallPtrSet<const Function *, 4> UnknownIntrinsics;
  SmallVector<Access, 4> Accesses;
  for (Instruction &I : instructions(F)) {
    Accesses.clear();
    switch (collectAccesses(I, Options, Accesses)) {
    case Undescribed::Nothing:
      break;
    case Undescribed::ByAsm:
      warnOfAsm(I);
      break;
    case Undescribed::ByIntrinsic: {
      // One warning speaks for all calls of the intrinsic.
      auto &Intrinsic = cast<IntrinsicInst>(I);
      if (UnknownIntrinsics.insert(Intrinsic.getCalledFunction()).second)
        warnOfIntrinsic(Intrinsic);
      break;
    }
    }
    if (Accesses.empty())
      continue;
    Ranges[&I] = {All.size(), Accesses.size()};
    All.insert(All.end(), Accesses.begin(), Accesses.end());
  }
}

ArrayRef<Access> FunctionAccesses::of(const Instruction &I) const {
  auto Found = Ranges.find(&I);
  if (Found == Ranges.end())
    return {};
  auto [First, Count] = Found->second;
  return ArrayRef(All).slice(First, Count);
}

} // namespace pagetide
