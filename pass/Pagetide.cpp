//===- Pagetide.cpp - The pass --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pagetide.h"

#include "Accesses.h"
#include "CodegenGuards.h"
#include "Diagnostics.h"
#include "LtoHandover.h"
#include "MarkEmitter.h"
#include "MarkPlan.h"
#include "ModuleSetup.h"
#include "Resolvers.h"
#include "VarArgs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace pagetide {
namespace {

/// A function that has its marks carries this, so that it never gets them
/// twice, whatever pipelines a module goes through.
constexpr char MarkedAttribute[] = "pagetide-marked";

bool isSupported(const Module &M) {
  Triple Target(M.getTargetTriple());
  if (Target.getArch() == Triple::x86_64 && Target.isOSBinFormatELF() &&
      !Target.isX32())
    return true;
  reportError(M, "the pass marks code for 64-bit x86 and ELF only; '" +
                     M.getModuleIdentifier() + "' is compiled for '" +
                     M.getTargetTriple() + "'; compile it without this pass");
  return false;
}

/// Clang sets these before it runs the pipeline of a module that goes to the
/// linker as bitcode.
bool isMeantForLinker(const Module &M) {
  return M.getModuleFlag("ThinLTO") || M.getModuleFlag("EnableSplitLTOUnit") ||
         M.getModuleFlag("UnifiedLTO");
}

/// Functions that no later pipeline optimises keep their marks where they are.
/// At -O0 those are all but the ones that are always inlined, which have been
/// by now, wherever that was possible.
bool isLeftAloneByLinker(const Function &F) {
  return F.hasFnAttribute(Attribute::OptimizeNone) ||
         F.hasFnAttribute(Attribute::AlwaysInline);
}

/// Which functions are marked now; the others when the program is linked.
enum class Now { All, Unoptimized, None };

Now whatToMarkNow(const Module &M, const PassOptions &Options,
                  PipelineEnd End) {
  // The second run on this module.
  if (hasDeferredMarks(M))
    return Now::All;
  switch (Options.Lto) {
  case LtoMode::Mark:
    return Now::All;
  case LtoMode::Defer:
    return Now::None;
  case LtoMode::Auto:
    break;
  }
  switch (End) {
  case PipelineEnd::Asked:
  case PipelineEnd::Final:
    return Now::All;
  case PipelineEnd::BeforeLink:
    return Now::None;
  case PipelineEnd::Unoptimized:
    return isMeantForLinker(M) ? Now::Unoptimized : Now::All;
  }
  llvm_unreachable("covered switch");
}

/// Functions that are to be marked, now or later.
bool isToBeMarked(const Function &F) {
  return !isLeftOut(F) && !F.hasFnAttribute(MarkedAttribute) &&
         !isModuleConstructor(F) && !F.getName().starts_with("__pagetide_");
}

void markFunction(Function &F, const PassOptions &Options,
                  FunctionAnalysisManager &FAM) {
  expandVarArgs(F);
  settleLoads(F, FAM);

  MarkPlan Plan;
  for (BasicBlock &Block : F)
    planMarks(Block, Options, Plan);

  MarkEmitter Emitter(F, Options);
  for (const MarkStep &Step : Plan.Steps)
    Emitter.emit(Step);

  FAM.invalidate(F, PreservedAnalyses::none());
  keepBehindMarks(Plan.MarkedReads, FAM.getResult<AAManager>(F));
  keepLibraryCalls(F, FAM.getResult<TargetLibraryAnalysis>(F));
  if (!Plan.Steps.empty())
    takeBackMemoryPromises(F);
  F.addFnAttr(MarkedAttribute);
}

} // namespace

PreservedAnalyses PagetidePass::run(Module &M, ModuleAnalysisManager &AM) {
  Now What = whatToMarkNow(M, Options, End);
  if (hasDeferredMarks(M) && !takeOverDeferredMarks(M, Options))
    return PreservedAnalyses::all();

  SmallVector<Function *> Later;
  SmallVector<Function *> Marked;
  for (Function &F : M) {
    if (!isToBeMarked(F))
      continue;
    if (What == Now::All ||
        (What == Now::Unoptimized && isLeftAloneByLinker(F)))
      Marked.push_back(&F);
    else
      Later.push_back(&F);
  }
  if (Marked.empty() && Later.empty())
    return PreservedAnalyses::all();
  if (!isSupported(M))
    return PreservedAnalyses::all();

  if (!Later.empty())
    deferMarks(M, Options);
  if (Marked.empty())
    return PreservedAnalyses::none();

  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  SetVector<Function *> Unmarked = separateResolverCode(M);
  for (Function *F : Marked)
    if (!Unmarked.contains(F))
      markFunction(*F, Options, FAM);
  setUpModule(M, Options);
  return PreservedAnalyses::none();
}

} // namespace pagetide
