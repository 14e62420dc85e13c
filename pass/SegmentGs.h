//===- SegmentGs.h - Code that wants segment GS for itself ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_SEGMENTGS_H
#define PAGETIDE_PASS_SEGMENTGS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

class AsmTexts;

/// Reports an error for each of \p Functions, and each naked function of \p M,
/// that sets the base of segment GS, or by assembly accesses memory relative to
/// it: the base is the shadow's. Only warns of assembly outside functions.
void refuseSegmentGs(const llvm::Module &M,
                     llvm::ArrayRef<llvm::Function *> Functions,
                     const AsmTexts &Texts);

} // namespace pagetide

#endif // PAGETIDE_PASS_SEGMENTGS_H
