//===- LtoHandover.cpp - Marks put off until the program is linked --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LtoHandover.h"

#include "Diagnostics.h"
#include "PassOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace pagetide {
namespace {

constexpr char RecordName[] = "pagetide.deferred";

/// Seen by the user as an undefined symbol.
constexpr char MissingSymbol[] =
    "__pagetide_marks_deferred_to_link_time"
    "__link_with_lld_and_load_pass_plugin_and_lto_O1_or_above";

/// What one entry of the record says.
struct Entry {
  StringRef Source;
  PassOptions Options;
};

MDNode *toMetadata(const Module &M, const PassOptions &Options) {
  LLVMContext &Context = M.getContext();
  auto Number = [&](uint32_t Value) -> Metadata * {
    return ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(Context), Value));
  };
  return MDNode::get(Context,
                     {MDString::get(Context, M.getSourceFileName()),
                      Number(abi::kVersion),
                      Number(static_cast<uint32_t>(Options.Layout)),
                      Number(Options.Granule), Number(Options.SkipConstants)});
}

/// Nothing where \p Node was written by another version of the pass.
std::optional<Entry> fromMetadata(const MDNode &Node) {
  if (Node.getNumOperands() != 5)
    return std::nullopt;
  auto *Source = dyn_cast<MDString>(Node.getOperand(0));
  uint32_t Numbers[4];
  for (auto [Index, Number] : enumerate(Numbers)) {
    auto *Constant =
        mdconst::dyn_extract<ConstantInt>(Node.getOperand(Index + 1));
    if (!Constant)
      return std::nullopt;
    Number = Constant->getZExtValue();
  }
  if (!Source || Numbers[0] != abi::kVersion || Numbers[1] >= abi::kLayoutCount)
    return std::nullopt;
  Entry E;
  E.Source = Source->getString();
  E.Options.Layout = static_cast<abi::Layout>(Numbers[1]);
  E.Options.Granule = Numbers[2];
  E.Options.SkipConstants = Numbers[3];
  return E;
}

void removeRecord(Module &M) {
  if (NamedMDNode *Record = M.getNamedMetadata(RecordName))
    M.eraseNamedMetadata(Record);
  GlobalVariable *Missing = M.getGlobalVariable(MissingSymbol);
  if (!Missing)
    return;
  SmallVector<GlobalVariable *> Uses;
  for (User *U : Missing->users())
    if (auto *Use = dyn_cast<GlobalVariable>(U))
      Uses.push_back(Use);
  removeFromUsedLists(M, [&](Constant *C) {
    return is_contained(Uses, C->stripPointerCasts());
  });
  for (GlobalVariable *Use : Uses)
    Use->eraseFromParent();
  Missing->eraseFromParent();
}

} // namespace

void deferMarks(Module &M, const PassOptions &Options) {
  M.getOrInsertNamedMetadata(RecordName)->addOperand(toMetadata(M, Options));

  Type *PtrTy = PointerType::getUnqual(M.getContext());
  auto *Missing = new GlobalVariable(
      M, Type::getInt8Ty(M.getContext()), /*isConstant=*/true,
      GlobalValue::ExternalLinkage, nullptr, MissingSymbol);
  auto *Use =
      new GlobalVariable(M, PtrTy, /*isConstant=*/true,
                         GlobalValue::InternalLinkage, Missing, RecordName);
  appendToUsed(M, Use);
}

bool hasDeferredMarks(const Module &M) {
  return M.getNamedMetadata(RecordName);
}

bool takeOverDeferredMarks(Module &M, PassOptions &Options) {
  std::optional<Entry> First;
  for (const MDNode *Node : M.getNamedMetadata(RecordName)->operands()) {
    std::optional<Entry> E = fromMetadata(*Node);
    if (!E) {
      reportError(M, "'" + M.getModuleIdentifier() +
                         "' was compiled with another version of the pass than "
                         "the one that "
                         "the linker loaded; compile and link with the same "
                         "PagetidePass.so");
      return false;
    }
    if (!First)
      First = E;
    if (First->Options.describeModule() == E->Options.describeModule())
      continue;
    reportError(M,
                "'" + First->Source + "' was compiled with " +
                    First->Options.describeModule() + " and '" + E->Source +
                    "' with " + E->Options.describeModule() +
                    "; compile every file of a program with the same options");
    return false;
  }
  if (First) {
    const PassOptions &Noted = First->Options;
    if ((Options.Given.Layout && Options.Layout != Noted.Layout) ||
        (Options.Given.Granule && Options.Granule != Noted.Granule) ||
        (Options.Given.SkipConstants &&
         Options.SkipConstants != Noted.SkipConstants)) {
      reportError(
          M, "'" + First->Source + "' was compiled with " +
                 Noted.describeModule() + ", but " + Options.describeModule() +
                 " is asked for now; give the options when compiling only");
      return false;
    }
    Options.Layout = Noted.Layout;
    Options.Granule = Noted.Granule;
    Options.SkipConstants = Noted.SkipConstants;
  }
  removeRecord(M);
  return true;
}

} // namespace pagetide
