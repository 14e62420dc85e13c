//===- CallLines.cpp - Lines that say what may be a call ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallLines.h"

#include "Expansion.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace pagetide {

constexpr unsigned LineInSegment = 1;
constexpr unsigned LineOfEnd = 2;
constexpr unsigned LineOfFunction = 3;
constexpr unsigned MaxColumn = 0xffff; ///< of a DILocation

void numberLines(Function &F, const Expansion &Known) {
  stripDebugInfo(F);
  Module &M = *F.getParent();
  if (!M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version",
                    DEBUG_METADATA_VERSION);
  DIBuilder Builder(M);
  DIFile *File = Builder.createFile("segments", "");
  DICompileUnit *Unit = Builder.createCompileUnit(
      dwarf::DW_LANG_C, File, "pagetide", /*isOptimized=*/true, "", 0, "",
      DICompileUnit::LineTablesOnly);
  DISubprogram *Scope = Builder.createFunction(
      Unit, F.getName(), "", File, LineOfFunction,
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({})),
      LineOfFunction, DINode::FlagZero, DISubprogram::SPFlagDefinition);
  F.setSubprogram(Scope);
  Builder.finalize();
  unsigned Column = 1;
  auto SetLine = [&](Instruction &I, unsigned Line) {
    I.setDebugLoc(DILocation::get(F.getContext(), Line,
                                  std::min(Column, MaxColumn), Scope));
  };
  // In this order numbers rise where blocks are joined.
  for (BasicBlock *Block : ReversePostOrderTraversal(&F)) {
    for (Instruction &I : *Block) {
      bool IsMark =
          isa<StoreInst>(I) && I.hasMetadata(LLVMContext::MD_nosanitize);
      bool Ends = !IsMark && Known.endsSegment(I);
      Column += Ends ? 1 : 0;
      SetLine(I, Ends ? LineOfEnd : LineInSegment);
      Column += Ends ? 1 : 0;
    }
  }
}

} // namespace pagetide
