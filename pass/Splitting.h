//===- Splitting.h - What to mind when a block is split ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

namespace pagetide {

/// For use after a split of \p Head, whose end became \p Tail: an alloca of
/// constant size is part of the frame only if it is in the entry block.
inline void keepAllocasInEntry(llvm::BasicBlock &Head, llvm::BasicBlock &Tail) {
  if (!Head.isEntryBlock())
    return;
  for (llvm::Instruction &I : llvm::make_early_inc_range(Tail)) {
    auto *Alloca = llvm::dyn_cast<llvm::AllocaInst>(&I);
    if (Alloca && llvm::isa<llvm::ConstantInt>(Alloca->getArraySize()))
      Alloca->moveBefore(Head, Head.getFirstInsertionPt());
  }
}

} // namespace pagetide
