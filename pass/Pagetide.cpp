//===- Pagetide.cpp - The pass --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pagetide.h"

#include "Accesses.h"
#include "AsmTexts.h"
#include "CallLines.h"
#include "CanonicalAccesses.h"
#include "CodegenGuards.h"
#include "Diagnostics.h"
#include "Expansion.h"
#include "FunctionAccesses.h"
#include "LibraryCalls.h"
#include "LlvmCompat.h"
#include "LongBlocks.h"
#include "LoopChunks.h"
#include "LtoHandover.h"
#include "MarkEmitter.h"
#include "MarkPlan.h"
#include "MarkPlanner.h"
#include "ModuleSetup.h"
#include "OnDemand.h"
#include "Resolvers.h"
#include "Sites.h"
#include "Windows.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Config/abi-breaking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#define DEBUG_TYPE "pagetide"

using namespace llvm;

// NOLINTBEGIN(readability-identifier-naming): LLVM's macro declares them
ALWAYS_ENABLED_STATISTIC(NumFunctions, "Functions that got marks");
ALWAYS_ENABLED_STATISTIC(NumAccesses, "Accesses that are marked");
ALWAYS_ENABLED_STATISTIC(NumGroups, "Groups of accesses that share marks");
ALWAYS_ENABLED_STATISTIC(NumChunked,
                         "Instructions marked with chunks of loops");
ALWAYS_ENABLED_STATISTIC(NumMarks, "Marks made in place");
ALWAYS_ENABLED_STATISTIC(NumNearMarks,
                         "Marks made in place that are near marks");
ALWAYS_ENABLED_STATISTIC(NumPairs, "Marks made in place of a read and a write");
ALWAYS_ENABLED_STATISTIC(NumShaped, "Accesses marked by lanes or by a length");
ALWAYS_ENABLED_STATISTIC(NumCalls, "Accesses marked by a call of the runtime");
ALWAYS_ENABLED_STATISTIC(NumTransfers,
                         "Copies and memsets left to the runtime");
ALWAYS_ENABLED_STATISTIC(NumFrames, "Return addresses that are marked");
ALWAYS_ENABLED_STATISTIC(NumUnoptimized,
                         "Long marked copies that are optimised no further");
// NOLINTEND(readability-identifier-naming)

namespace pagetide {
namespace {

/// The decision about a function stays with it in all pipelines of its module.
/// So it never gets marks twice, and never gets any if it must have none.
constexpr char DoneAttribute[] = "pagetide";
constexpr char DoneMarked[] = "marked";
constexpr char DoneRunsBeforeStart[] = "runs-before-start";
constexpr char DonePlain[] = "plain"; ///< marks are in its copy, if any

bool isSupported(const Module &M) {
  if (target::isSupported(Triple(M.getTargetTriple())))
    return true;
  reportError(M, Twine("the pass marks code for ") + target::SupportedTarget +
                     " only; '" + M.getModuleIdentifier() +
                     "' is compiled for '" + compat::tripleOf(M) +
                     "'; compile it without this pass");
  return false;
}

/// Clang sets these before it runs the pipeline of a module that goes to the
/// linker as bitcode.
bool isMeantForLinker(const Module &M) {
  return M.getModuleFlag("ThinLTO") || M.getModuleFlag("EnableSplitLTOUnit") ||
         M.getModuleFlag("UnifiedLTO");
}

/// Whether marks are made now, or when the program is linked.
bool isTimeToMark(const Module &M, const PassOptions &Options,
                  PipelineEnd End) {
  if (hasDeferredMarks(M))
    return true; // the second run on this module
  if (Options.Lto == LtoMode::Auto)
    return End != PipelineEnd::BeforeLink;
  return Options.Lto == LtoMode::Mark;
}

/// Marks are made before a link that optimises if option lto is mark, and at
/// -O0, because the link may not run the pass: thin links at -O0 run no
/// pipeline. No later pipeline may move the accesses away from their marks.
void preventLaterOptimization(Function &F) {
  if (F.hasFnAttribute(Attribute::AlwaysInline))
    return; // inlined by now, if that was possible
  F.removeFnAttr(Attribute::OptimizeForSize);
  F.removeFnAttr(Attribute::MinSize);
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::OptimizeNone);
}

/// True if no access in \p F is marked, because the program says so or because
/// no code is generated for it.
bool isExcluded(const Function &F) {
  return F.isDeclaration() || F.hasAvailableExternallyLinkage() ||
         F.hasFnAttribute(Attribute::Naked) ||
         F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

/// Whether \p F must be marked, now or later.
bool isToBeMarked(const Function &F) {
  return !isExcluded(F) && !F.hasFnAttribute(DoneAttribute) &&
         !isModuleConstructor(F) && !F.getName().starts_with("__pagetide_");
}

/// The functions that option marks-in names.
class MarkModes {
public:
  /// False after reporting an error.
  bool read(const Module &M, const PassOptions &Options) {
    Mode = Options.Marks;
    NamesSome = !Options.MarksIn.empty();
    if (!NamesSome)
      return true;
    auto File = MemoryBuffer::getFile(Options.MarksIn, /*IsText=*/true);
    if (!File) {
      reportError(M, "option marks-in: cannot read '" + Options.MarksIn +
                         "': " + File.getError().message() +
                         "; give a file of function names, one per line");
      return false;
    }
    for (line_iterator Line(**File); !Line.is_at_eof(); ++Line)
      Names.insert(Line->trim());
    return true;
  }

  MarkMode of(const Function &F) const {
    return NamesSome && !Names.contains(F.getName()) ? MarkMode::Inline : Mode;
  }

private:
  MarkMode Mode = MarkMode::Inline;
  bool NamesSome = false;
  StringSet<> Names;
};

/// Prints what was counted if option -stats asks for it. LLVM does that itself
/// only if it was built with statistics of its own.
void printStatistics() {
#if !LLVM_ENABLE_ABI_BREAKING_CHECKS && !LLVM_FORCE_ENABLE_STATS
  if (AreStatisticsEnabled())
    PrintStatistics(errs());
#endif
}

/// Tells how many accesses \p F has, how many marks, and why not fewer.
void summarize(const Function &F, const FunctionAccesses &Accesses,
               const ChunkedAccesses &Chunked, const MarkPlan &Plan,
               OptimizationRemarkEmitter &Remarks) {
  auto Count = [&](auto... Kinds) -> size_t {
    return count_if(Plan.Steps, [=](const MarkStep &Step) {
      return ((Step.Kind == Kinds) || ...);
    });
  };
  size_t Marks = Count(MarkStepKind::Byte),
         Shaped = Count(MarkStepKind::Shaped);
  size_t Transfers = Count(MarkStepKind::Transfer);
  size_t Calls = Count(MarkStepKind::Long, MarkStepKind::Call);
  NumFunctions += Plan.Steps.empty() ? 0 : 1;
  NumAccesses += Accesses.all().size();
  NumGroups += Plan.Groups;
  NumChunked += Chunked.Instructions.size();
  NumMarks += Marks;
  for (const MarkStep &Step : Plan.Steps) {
    NumNearMarks += Step.IsNear ? 1 : 0;
    NumPairs += Step.IsPair ? 1 : 0;
  }
  NumShaped += Shaped;
  NumCalls += Calls;
  NumTransfers += Transfers;
  NumFrames += Count(MarkStepKind::ReturnAddress);
  if (Accesses.all().empty())
    return;
  Remarks.emit([&] {
    const RepeatedMarks &Repeated = Plan.Repeated;
    OptimizationRemarkAnalysis Remark(DEBUG_TYPE, "Marks", F.getSubprogram(),
                                      &F.getEntryBlock());
    Remark << "function '" << ore::NV("Function", nameInSource(F))
           << "': accesses " << ore::NV("Accesses", Accesses.all().size())
           << ", marks " << ore::NV("Marks", Marks)
           << ", marked by lanes or by a length known at run time "
           << ore::NV("Shaped", Shaped) << ", calls of the runtime "
           << ore::NV("Calls", Calls + Transfers)
           << ", marked with chunks of loops "
           << ore::NV("Chunked", Chunked.Instructions.size())
           << "; marks that repeat an earlier one: behind a call, an atomic or "
              "volatile access or a fence "
           << ore::NV("BehindCalls", Repeated.BehindCalls)
           << ", at the beginning of a loop "
           << ore::NV("InLoops", Repeated.InLoops)
           << ", where a path lacks the earlier one "
           << ore::NV("AtJoins", Repeated.AtJoins);
    return Remark;
  });
}

/// True if marks would change nothing in \p F: it touches no memory, and what
/// it calls is the same with marks. Whoever marks finds no step in it.
bool needsNoMarks(Function &F, const PassOptions &Options, bool MayCall,
                  const TargetLibraryInfo &TLI) {
  SmallVector<Access, 2> Accesses;
  for (Instruction &I : instructions(F)) {
    if (isa<DbgInfoIntrinsic, LifetimeIntrinsic, AssumeInst>(I))
      continue;
    auto *Call = dyn_cast<CallBase>(&I);
    bool IsCall = Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I);
    if (!IsCall) {
      if (I.mayReadOrWriteMemory())
        return false;
      continue;
    }
    // Arguments by value, setjmp's buffer.
    collectAccesses(I, Options, Accesses);
    if (!MayCall || Options.Frames || !Accesses.empty() ||
        mayBeExpanded(*Call, TLI))
      return false;
  }
  return !mayCallLibrary(F);
}

/// Removes from \p Functions those that need no marks. They exist once, without
/// a test: what they call tests. If \p IsOptimizedLater, they call nothing: a
/// later inliner could bring accesses into them.
void leaveUnmarked(SmallVectorImpl<Function *> &Functions,
                   const PassOptions &Options, bool IsOptimizedLater,
                   FunctionAnalysisManager &FAM) {
  erase_if(Functions, [&](Function *F) {
    if (!needsNoMarks(*F, Options, /*MayCall=*/!IsOptimizedLater,
                      FAM.getResult<TargetLibraryAnalysis>(*F)))
      return false;
    F->addFnAttr(DoneAttribute, DonePlain);
    return true;
  });
}

/// Removes from \p Functions those between whose copies control can change
/// (Windows.h), and returns them.
SmallVector<Function *> takeSwitchable(SmallVectorImpl<Function *> &Functions,
                                       const AsmTexts &Texts) {
  SmallVector<Function *> Result, Others;
  for (Function *F : Functions)
    (hasTwoCopies(*F, Texts) && !whyNotSwitched(*F) ? Result : Others)
        .push_back(F);
  Functions = Others;
  return Result;
}

/// The mark of abi::kCoveredAddress.
MarkStep coveredMark(Instruction &Before, const PassOptions &Options) {
  LLVMContext &Context = Before.getContext();
  Constant *Address = ConstantExpr::getIntToPtr(
      ConstantInt::get(Type::getInt64Ty(Context), abi::kCoveredAddress),
      PointerType::get(Context, 0));
  return MarkStep::byte(Before, 0, Before, Address, 0,
                        cellsOf(AccessKind::Write, Options.Layout).front());
}

/// When the code of a function runs, and when it makes marks.
enum class RunsWhen : uint8_t {
  Always,   ///< and always makes marks
  Recorded, ///< and so makes marks whenever it runs
  Both,     ///< and makes marks only while it is recorded
};

void markFunction(Function &F, const PassOptions &Options, MarkMode Mode,
                  RunsWhen When, const Expansion &Known, SiteTable &Sites,
                  FunctionAnalysisManager &FAM) {
  bool IsSwitched =
      Options.Mode == DemandMode::Windows && When == RunsWhen::Recorded;
  target::expandVarArgs(F);
  canonicalizeAccesses(F, FAM, /*MaySink=*/!IsSwitched);

  FunctionAccesses Accesses(F, Options);
  FunctionToMark Input = {F, Accesses, Known, Options, Mode};
  OptimizationRemarkEmitter Remarks(&F);
  ChunkedAccesses Chunked;
  // Plain code could not enter a chunk, and would be slow in one.
  if (!IsSwitched && When != RunsWhen::Both)
    Chunked = chunkLoops(Input, FAM, Remarks);
  MarkPlan Plan = planMarks(Input, Chunked);
  summarize(F, Accesses, Chunked, Plan, Remarks);

  bool IsLong =
      When != RunsWhen::Both && isLongWithoutLoops(F, Plan.Steps.size());
  MarkEmitter Emitter(F, Options, Sites, IsLong,
                      When == RunsWhen::Both ? marksOnByte(*F.getParent())
                                             : nullptr);
  for (const MarkStep &Step : Plan.Steps)
    Emitter.emit(Step);
  if (Mode == MarkMode::Lines)
    numberLines(F, Known);
  if (!F.hasOptNone())
    divideLongBlocks(F);

  FAM.invalidate(F, PreservedAnalyses::none());
  preventReordering(Plan.MarkedReads, FAM.getResult<AAManager>(F));
  if (!F.hasOptNone())
    preventSinking(Plan.MarkedReads);
  preventParameterStoreRemoval(F);
  redirectLibraryCalls(F);
  preventCallExpansion(F, FAM.getResult<TargetLibraryAnalysis>(F));
  if (!Plan.Steps.empty())
    dropMemoryPromises(F);
  // -Wframe-larger-than means the frame that the program has without marks.
  F.removeFnAttr("warn-stack-size");
  if (IsLong && When == RunsWhen::Recorded) {
    preventLaterOptimization(F); // its code generation takes half the time
    ++NumUnoptimized;
  }
  F.addFnAttr(DoneAttribute, DoneMarked);
}

} // namespace

PreservedAnalyses PagetidePass::run(Module &M, ModuleAnalysisManager &AM) {
  bool IsNow = isTimeToMark(M, Options, End);
  if (hasDeferredMarks(M) && !takeOverDeferredMarks(M, Options))
    return PreservedAnalyses::all();

  SmallVector<Function *> Functions;
  for (Function &F : M)
    if (isToBeMarked(F))
      Functions.push_back(&F);
  if (Functions.empty()) {
    unifyModuleSetup(M);
    return PreservedAnalyses::none();
  }
  if (!isSupported(M))
    return PreservedAnalyses::all();
  if (!IsNow) {
    if (!Options.WarnInlineAsm)
      for (Function *F : Functions)
        silenceAsmWarnings(*F);
    deferMarks(M, Options);
    return PreservedAnalyses::none();
  }

  // At -O0 files are marked when they are compiled. What the link adds to them
  // is marked as they are.
  takeOptionsOfMarkedParts(M, Options);

  if (Options.isNear() && Options.Granule < abi::kMinNearGranuleShift) {
    reportError(M, "option precision=near has cells of 2^" +
                       Twine(abi::kNearCellShift) +
                       " bytes and needs a granule of " +
                       Twine(abi::kMinNearGranuleShift) + " or more, not " +
                       Twine(Options.Granule));
    return PreservedAnalyses::all();
  }
  if (Options.Mode == DemandMode::Windows && Options.marksSites()) {
    reportError(M,
                Twine("option mode=windows has no layout ") +
                    abi::kLayoutNames[static_cast<uint32_t>(Options.Layout)] +
                    "; leave one of the two options out");
    return PreservedAnalyses::all();
  }
  if (Options.isNear() && Options.marksSites()) {
    reportError(M,
                Twine("layout ") +
                    abi::kLayoutNames[static_cast<uint32_t>(Options.Layout)] +
                    " has one cell per granule, which cannot have "
                    "precision near; leave out option precision");
    return PreservedAnalyses::all();
  }
  MarkModes Modes;
  if (!Modes.read(M, Options))
    return PreservedAnalyses::all();

  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool IsOptimizedLater =
      (End == PipelineEnd::Unoptimized || End == PipelineEnd::BeforeLink) &&
      isMeantForLinker(M);
  AsmTexts Texts(M);
  target::refuseShadowBase(M, Functions, Texts);
  SiteTable Sites;
  auto Mark = [&](Function &F, MarkMode Mode, RunsWhen When) {
    markFunction(F, Options, Mode, When,
                 Expansion(F, End == PipelineEnd::Unoptimized, HasEmulatedTls),
                 Sites, FAM);
    if (IsOptimizedLater)
      preventLaterOptimization(F);
  };
  if (Options.Mode != DemandMode::Always)
    leaveUnmarked(Functions, Options, IsOptimizedLater, FAM);
  SmallVector<Function *> Switched;
  if (Options.Mode == DemandMode::Windows)
    Switched = takeSwitchable(Functions, Texts);
  if (Options.Mode != DemandMode::Always) {
    OnDemandFunctions Split = splitOnDemand(M, Functions, Texts);
    for (auto [Original, Copy] : Split.Copies) {
      Original->addFnAttr(DoneAttribute, DonePlain);
      Mark(*Copy, Modes.of(*Original), RunsWhen::Recorded);
      if (!Original->hasOptNone())
        divideLongBlocks(*Original);
    }
    for (Function *F : Split.Single)
      Mark(*F,
           Modes.of(*F) == MarkMode::Inline ? MarkMode::Inline
                                            : MarkMode::Calls,
           RunsWhen::Both);
    for (Function *F : Switched) {
      canonicalizeAccesses(*F, FAM, /*MaySink=*/false);
      WindowCopy Pair;
      copyForWindows(*F, Pair);
      Mark(*Pair.Copy, Modes.of(*F), RunsWhen::Recorded);
      MarkEmitter Emitter(*F, Options, Sites, /*KeepsIndices=*/false);
      mergeForWindows(Pair, *marksOnByte(M), FAM, [&](Instruction &Before) {
        Emitter.emit(coveredMark(Before, Options));
      });
      F->addFnAttr(DoneAttribute, DoneMarked);
    }
  } else {
    SetVector<Function *> Early = separateResolverCode(M);
    for (Function *F : Early)
      F->addFnAttr(DoneAttribute, DoneRunsBeforeStart);
    for (Function *F : Functions)
      if (!Early.contains(F))
        Mark(*F, Modes.of(*F), RunsWhen::Always);
  }
  setUpModule(M, Options, End == PipelineEnd::AfterThinLink);
  for (Function *F : Sites.emit(M))
    F->addFnAttr(DoneAttribute, DonePlain);
  printStatistics();
  return PreservedAnalyses::none();
}

} // namespace pagetide
