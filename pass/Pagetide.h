//===- Pagetide.h - The pass ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the memory accesses of a module. Accesses decides what counts as an
// access, MarkPlanner which marks it needs, and MarkEmitter how a mark looks.
// This file decides which functions are marked and when, and that each is
// marked once.

#pragma once

#include "PassOptions.h"

#include "llvm/IR/PassManager.h"

namespace pagetide {

/// When the pass runs.
enum class PipelineEnd {
  /// Named in a textual pipeline.
  Explicit,
  /// At the end of a pipeline after which code is generated.
  Final,
  /// At the end of a pipeline after which the linker runs another.
  BeforeLink,
  /// The same as Final, on bitcode that a thin link has taken. LLVM 19 does not
  /// tell.
  AfterThinLink,
  /// At the end of the -O0 pipeline, which does not say what follows it.
  Unoptimized,
};

class PagetidePass : public llvm::PassInfoMixin<PagetidePass> {
public:
  /// \p HasEmulatedTls: a call gives the address of a thread-local variable.
  PagetidePass(const PassOptions &Options, PipelineEnd End, bool HasEmulatedTls)
      : Options(Options), End(End), HasEmulatedTls(HasEmulatedTls) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

  /// Marks are needed at -O0 and in functions with optnone too.
  static bool isRequired() { return true; }

private:
  PassOptions Options;
  PipelineEnd End;
  bool HasEmulatedTls;
};

} // namespace pagetide
