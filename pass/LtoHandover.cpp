//===- LtoHandover.cpp - Marks put off until the program is linked --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

#include <optional>

using namespace llvm;

namespace pagetide {
namespace {

constexpr char RecordName[] = "pagetide.deferred";

/// The user sees this name as an undefined symbol.
constexpr char MissingSymbol[] =
    "__pagetide_marks_deferred_to_link_time"
    "__link_with_lld_and_load_pass_plugin_and_lto_O1_or_above";

/// One entry of the record: which file was compiled with which options.
struct Entry {
  StringRef Source;
  StringRef Options;
};

/// std::nullopt if another version of the pass wrote \p Node.
std::optional<Entry> readEntry(const MDNode &Node) {
  if (Node.getNumOperands() != 3)
    return std::nullopt;
  auto *Version = mdconst::dyn_extract<ConstantInt>(Node.getOperand(0));
  auto *Source = dyn_cast<MDString>(Node.getOperand(1));
  auto *Options = dyn_cast<MDString>(Node.getOperand(2));
  if (!Version || !Version->equalsInt(abi::kVersion) || !Source || !Options)
    return std::nullopt;
  return Entry{Source->getString(), Options->getString()};
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
  LLVMContext &Context = M.getContext();
  Metadata *Version = ConstantAsMetadata::get(
      ConstantInt::get(Type::getInt32Ty(Context), abi::kVersion));
  M.getOrInsertNamedMetadata(RecordName)
      ->addOperand(MDNode::get(
          Context, {Version, MDString::get(Context, M.getSourceFileName()),
                    MDString::get(Context, Options.describe())}));

  auto *Missing =
      new GlobalVariable(M, Type::getInt8Ty(Context), /*isConstant=*/true,
                         GlobalValue::ExternalLinkage, nullptr, MissingSymbol);
  auto *Use = new GlobalVariable(
      M, PointerType::getUnqual(Context),
      /*isConstant=*/true, GlobalValue::InternalLinkage, Missing, RecordName);
  appendToUsed(M, Use);
}

bool hasDeferredMarks(const Module &M) {
  return M.getNamedMetadata(RecordName);
}

bool takeOverDeferredMarks(Module &M, PassOptions &Options) {
  std::optional<Entry> First;
  for (const MDNode *Node : M.getNamedMetadata(RecordName)->operands()) {
    std::optional<Entry> E = readEntry(*Node);
    if (!E) {
      reportError(
          M, "'" + M.getModuleIdentifier() +
                 "' was compiled with another version of the pass than the one "
                 "loaded now; compile and link with the same Pagetide");
      return false;
    }
    if (!First)
      First = E;
    if (First->Options == E->Options)
      continue;
    reportError(M, "'" + First->Source + "' was compiled with " +
                       First->Options + " and '" + E->Source + "' with " +
                       E->Options +
                       "; compile every file of a program with the same "
                       "options of the pass");
    return false;
  }

  if (First) {
    Expected<PassOptions> Noted =
        optionsFromParameters(First->Options, PassOptions());
    if (!Noted) {
      reportError(M, "'" + First->Source + "' was compiled with " +
                         First->Options + ", but " +
                         toString(Noted.takeError()) +
                         "; compile and link with the same Pagetide");
      return false;
    }
    if (Options.contradict(*Noted)) {
      reportError(M, "'" + First->Source + "' was compiled with " +
                         First->Options + ", but linked with " +
                         Options.describe() +
                         "; give options of the pass only when compiling");
      return false;
    }
    Noted->takeLocal(Options);
    Options = *Noted;
  }
  removeRecord(M);
  return true;
}

} // namespace pagetide
