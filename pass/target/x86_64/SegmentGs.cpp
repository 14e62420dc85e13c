//===- SegmentGs.cpp - Code that wants segment GS for itself --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentGs.h"

#include "AsmTexts.h"
#include "Diagnostics.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {
namespace {

/// What \p Call does with segment GS; null if nothing that matters.
const char *useOfGs(const CallBase &Call, const AsmTexts &Texts) {
  if (Call.isInlineAsm())
    return Texts.needsGs(Call)
               ? "sets segment GS, or accesses memory relative to it, by "
                 "inline assembly"
               : nullptr;
  Intrinsic::ID Id = Call.getIntrinsicID();
  return Id == Intrinsic::x86_wrgsbase_32 || Id == Intrinsic::x86_wrgsbase_64
             ? "sets the base of segment GS (_writegsbase)"
             : nullptr;
}

void refuseFunction(const Function &F, const AsmTexts &Texts) {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const char *Use = Call ? useOfGs(*Call, Texts) : nullptr;
    if (!Use)
      continue;
    reportError(*F.getParent(), I.getDebugLoc(),
                "function '" + F.getName() + "' " + Use +
                    ", but the base of GS is Pagetide's; use segment FS or a "
                    "plain pointer");
    return;
  }
}

} // namespace

void refuseSegmentGs(const Module &M, ArrayRef<Function *> Functions,
                     const AsmTexts &Texts) {
  for (const Function *F : Functions)
    refuseFunction(*F, Texts);
  for (const Function &F : M)
    if (F.hasFnAttribute(Attribute::Naked) &&
        !F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
      refuseFunction(F, Texts);
  if (Texts.moduleNeedsGs())
    reportWarning(M, DebugLoc(),
                  M.getSourceFileName() +
                      ": assembly outside functions uses segment GS, but its "
                      "base is Pagetide's while a program is recorded");
}

} // namespace pagetide
