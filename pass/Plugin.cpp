//===- Plugin.cpp - Where the pass enters the compiler --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and nothing else. The pass runs
//
//   - at the end of every optimisation pipeline, also that of -O0: what an
//     optimiser can remove or merge is not marked, and marks do not hinder it.
//     Marking at the start of the pipeline costs several times as much at run
//     time;
//   - at the end of full link-time optimisation, which has its own extension
//     point;
//   - at each pagetide or pagetide<options> of a textual pipeline.
//
// Sanitizers at the same extension point run after plugins, so their own shadow
// accesses are not marked.

#include "Pagetide.h"
#include "PassOptions.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

using namespace llvm;
using namespace pagetide;

namespace {

/// LLVM 19 does not tell which of its pipelines runs the extension point. A
/// pipeline before code generation begins its last stage by dropping the
/// functions that another module provides. A pipeline before a link keeps them
/// for inlining.
PipelineEnd pipelineEnd(ModulePassManager &SoFar) {
  std::string Passes;
  raw_string_ostream Out(Passes);
  SoFar.printPipeline(Out, [](StringRef ClassName) { return ClassName; });
  return StringRef(Passes).contains("EliminateAvailableExternallyPass")
             ? PipelineEnd::Final
             : PipelineEnd::BeforeLink;
}

/// LLVM 22 tells it.
PipelineEnd pipelineEnd(ThinOrFullLTOPhase Phase) {
  switch (Phase) {
  case ThinOrFullLTOPhase::ThinLTOPreLink:
  case ThinOrFullLTOPhase::FullLTOPreLink:
    return PipelineEnd::BeforeLink;
  case ThinOrFullLTOPhase::ThinLTOPostLink:
    return PipelineEnd::AfterThinLink;
  default:
    return PipelineEnd::Final;
  }
}

/// Adds the pass at the end of a pipeline. LLVM calls the one that it knows.
struct AtOptimizerLast {
  bool HasEmulatedTls;

  void operator()(ModulePassManager &Passes, OptimizationLevel Level) const {
    add(Passes, Level, [&] { return pipelineEnd(Passes); });
  }
  void operator()(ModulePassManager &Passes, OptimizationLevel Level,
                  ThinOrFullLTOPhase Phase) const {
    add(Passes, Level, [&] { return pipelineEnd(Phase); });
  }

private:
  void add(ModulePassManager &Passes, OptimizationLevel Level,
           function_ref<PipelineEnd()> End) const {
    // A function that is dead by now gets no copy (and see EntryTest.cpp).
    if (Level != OptimizationLevel::O0)
      Passes.addPass(GlobalDCEPass());
    Passes.addPass(PagetidePass(
        optionsFromCommandLine(),
        Level == OptimizationLevel::O0 ? PipelineEnd::Unoptimized : End(),
        HasEmulatedTls));
  }
};

// No IR says that addresses of thread-local variables are asked of a function
// (-femulated-tls). The pipeline's target machine knows, and LLVM 19 does not
// hand it out. An explicit instantiation may name what is private.
TargetMachine *machineOf(PassBuilder &Builder);
template <TargetMachine *PassBuilder::*Member> struct MachineOf {
  friend TargetMachine *machineOf(PassBuilder &Builder) {
    return Builder.*Member;
  }
};
template struct MachineOf<&PassBuilder::TM>;

bool hasEmulatedTls(PassBuilder &Builder) {
  const TargetMachine *Machine = machineOf(Builder);
  return Machine && Machine->useEmulatedTLS();
}

/// Handles pagetide and pagetide<...> in a textual pipeline.
bool parsePass(StringRef Name, ModulePassManager &Passes, bool HasEmulatedTls) {
  if (!Name.consume_front("pagetide"))
    return false;
  if (!Name.empty() && !(Name.consume_front("<") && Name.consume_back(">")))
    return false;
  if (Name == "help") {
    outs() << "Options of the pass, as pagetide<NAME=VALUE;...> or -mllvm "
              "-pagetide-NAME=VALUE:\n"
           << optionsHelp();
    outs().flush();
    exit(0);
  }
  Expected<PassOptions> Options =
      optionsFromParameters(Name, optionsFromCommandLine());
  // If this returned false, the message would be that there is no such pass.
  if (!Options)
    report_fatal_error("pagetide: " + Twine(toString(Options.takeError())),
                       /*gen_crash_diag=*/false);
  Passes.addPass(PagetidePass(*Options, PipelineEnd::Explicit, HasEmulatedTls));
  return true;
}

void registerCallbacks(PassBuilder &Builder) {
  const bool HasEmulatedTls = hasEmulatedTls(Builder);
  Builder.registerPipelineParsingCallback(
      [=](StringRef Name, ModulePassManager &Passes,
          ArrayRef<PassBuilder::PipelineElement>) {
        return parsePass(Name, Passes, HasEmulatedTls);
      });
  Builder.registerOptimizerLastEPCallback(AtOptimizerLast{HasEmulatedTls});
  Builder.registerFullLinkTimeOptimizationLastEPCallback(
      [=](ModulePassManager &Passes, OptimizationLevel) {
        Passes.addPass(GlobalDCEPass());
        Passes.addPass(PagetidePass(optionsFromCommandLine(),
                                    PipelineEnd::Final, HasEmulatedTls));
      });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  // Marks may have inline assembly, which flang 19 has no parser for of its
  // own.
  InitializeNativeTargetAsmParser();
  return {LLVM_PLUGIN_API_VERSION, "Pagetide", PAGETIDE_VERSION,
          registerCallbacks};
}
