//===- FunctionAccesses.cpp - All accesses of one function ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionAccesses.h"

#include "Diagnostics.h"
#include "ObjectParts.h"
#include "PassOptions.h"
#include "PlainAddresses.h"
#include "target/Target.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace pagetide {
namespace {

/// Every C library aligns the thread control block like this.
constexpr uint64_t ThreadPointerAlignment = 16;

/// String attribute of a function whose warnings about inline assembly are off.
constexpr char QuietAttribute[] = "pagetide-no-warn-inline-asm";

void warnOfAsm(const Instruction &I) {
  reportWarning(*I.getModule(), I.getDebugLoc(),
                "what the inline assembly in function '" +
                    nameInSource(*I.getFunction()) +
                    "' touches through a pointer in a register is not marked; "
                    "give it memory operands, or mark by hand with "
                    "pagetide_mark_read() or pagetide_mark_written(); "
                    "-fpagetide-warn-inline-asm=0 (of the plugin alone: -mllvm "
                    "-pagetide-warn-inline-asm=0) turns this warning off");
}

void warnOfSize(const Instruction &I) {
  reportWarning(*I.getModule(), I.getDebugLoc(),
                "an access in function '" + nameInSource(*I.getFunction()) +
                    "' is not marked, because its type does not say how many "
                    "bytes it has (a scalable vector); mark it by hand with "
                    "pagetide_mark_read() or pagetide_mark_written()");
}

void warnOfIntrinsic(const IntrinsicInst &I) {
  reportWarning(
      *I.getModule(), I.getDebugLoc(),
      "the memory that '" + I.getCalledFunction()->getName() +
          "' touches in function '" + nameInSource(*I.getFunction()) +
          "' is not marked, because the pass does not know the intrinsic; mark "
          "it by hand with pagetide_mark_read() or pagetide_mark_written()");
}

} // namespace

void silenceAsmWarnings(Function &F) { F.addFnAttr(QuietAttribute); }

FunctionAccesses::FunctionAccesses(Function &F, const PassOptions &Options) {
  PlainAddresses Plain(F);
  bool UsesShadowBase = false;
  SmallPtrSet<const Function *, 4> UnknownIntrinsics;
  SmallVector<Access, 4> Accesses;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Accesses.clear();
    switch (collectAccesses(I, Options, Accesses)) {
    case Undescribed::Nothing:
      break;
    case Undescribed::ByAsm:
      if (Options.WarnInlineAsm && !F.hasFnAttribute(QuietAttribute))
        warnOfAsm(I);
      break;
    case Undescribed::BySize:
      warnOfSize(I);
      break;
    case Undescribed::ByShadowBase:
      if (!UsesShadowBase)
        target::refuseShadowAccess(I);
      UsesShadowBase = true;
      break;
    case Undescribed::ByIntrinsic: {
      // Warn once for all calls of the intrinsic.
      auto &Intrinsic = cast<IntrinsicInst>(I);
      if (UnknownIntrinsics.insert(Intrinsic.getCalledFunction()).second)
        warnOfIntrinsic(Intrinsic);
      break;
    }
    }
    if (Accesses.empty())
      continue;
    Ranges[&I] = {All.size(), Accesses.size()};
    for (Access &A : Accesses) {
      // The thread pointer may be less aligned than the offset from it.
      if (target::pointerKind(*A.Address) ==
          target::PointerKind::FromThreadPointer)
        A.Alignment = std::min(A.Alignment, Align(ThreadPointerAlignment));
      A.Address = Plain.of(*A.Address, I);
      All.push_back(A);
    }
  }
  if (Options.Objects && !F.hasOptNone())
    findObjectParts(All, F.getParent()->getDataLayout(),
                    Options.granuleBytes());
}

ArrayRef<Access> FunctionAccesses::of(const Instruction &I) const {
  auto Found = Ranges.find(&I);
  if (Found == Ranges.end())
    return {};
  auto [First, Count] = Found->second;
  return ArrayRef(All).slice(First, Count);
}

} // namespace pagetide
