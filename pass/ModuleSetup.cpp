//===- ModuleSetup.cpp - How a module announces itself --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSetup.h"

#include "Diagnostics.h"
#include "PassOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <string>

using namespace llvm;

namespace pagetide {
namespace {

constexpr char ConstructorName[] = "pagetide.module_ctor";
constexpr char ConstructorAttribute[] = "pagetide-module-constructor";

/// Before every other constructor, since those may be marked code.
constexpr int ConstructorPriority = 0;

constexpr unsigned InfoField = 4; ///< of ModuleNote
constexpr unsigned NameBytes = sizeof(abi::ModuleNote::name);

/// The contents of an abi::ModuleNote.
Constant *noteContents(LLVMContext &Context, const abi::ModuleInfo &Info) {
  auto Word = [&](uint32_t Value) -> Constant * {
    return ConstantInt::get(Type::getInt32Ty(Context), Value);
  };
  static_assert(sizeof(abi::kNoteName) <= NameBytes);
  char Name[NameBytes] = {};
  llvm::copy(abi::kNoteName, Name);
  Constant *InfoFields = ConstantStruct::getAnon(
      {Word(Info.abi_version), Word(Info.layout), Word(Info.cell_shift),
       Word(Info.granule_shift), Word(Info.flags)});
  return ConstantStruct::getAnon(
      {Word(sizeof(abi::kNoteName)), Word(sizeof(abi::ModuleInfo)),
       Word(abi::kNoteType),
       ConstantDataArray::getString(Context, StringRef(Name, NameBytes),
                                    /*AddNull=*/false),
       InfoFields});
}

GlobalVariable *makeNote(Module &M, Constant *Contents) {
  auto *Note = new GlobalVariable(M, Contents->getType(), /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, Contents,
                                  "pagetide.note");
  Note->setSection(abi::kNoteSection);
  Note->setAlignment(Align(4));
  // A sanitizer's red zone would make the note unreadable.
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true;
  Sanitizers.NoHWAddress = true;
  Note->setSanitizerMetadata(Sanitizers);
  return Note;
}

SmallVector<GlobalVariable *> notesOf(Module &M) {
  SmallVector<GlobalVariable *> Notes;
  for (GlobalVariable &Global : M.globals())
    if (Global.hasInitializer() && Global.getSection() == abi::kNoteSection)
      Notes.push_back(&Global);
  return Notes;
}

/// Makes the link fail if objects with other settings join the module.
void makeSettingsSymbol(Module &M, const abi::ModuleInfo &Info) {
  // A linker treats the symbols of bitcode as ordinary ones, and would reject
  // two that agree. Under LTO unifyModuleSetup compares them.
  if (M.getModuleFlag("ThinLTO") || M.getModuleFlag("EnableSplitLTOUnit"))
    return;
  std::string Name = abi::kSettingsSymbol;
  M.appendModuleInlineAsm(".globl " + Name + "\n.hidden " + Name + "\n" + Name +
                          " = " + std::to_string(abi::settings_value(Info)));
}

void makeConstructor(Module &M, GlobalVariable *Note) {
  LLVMContext &Context = M.getContext();
  auto *Type = FunctionType::get(Type::getVoidTy(Context), false);
  Function *F = Function::createWithDefaultAttr(
      Type, GlobalValue::InternalLinkage, 0, ConstructorName, &M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  F->addFnAttr(ConstructorAttribute);

  IRBuilder<> Builder(BasicBlock::Create(Context, "", F));
  FunctionCallee Init = M.getOrInsertFunction(
      abi::kModuleInitName, Builder.getVoidTy(), Builder.getPtrTy());
  Builder.CreateCall(Init, Builder.CreateConstInBoundsGEP2_32(
                               Note->getValueType(), Note, 0, InfoField));
  Builder.CreateRetVoid();
  appendToGlobalCtors(M, F, ConstructorPriority);
}

/// Removes constructors from llvm.global_ctors and from the module.
void removeConstructors(Module &M, ArrayRef<Function *> Removed) {
  GlobalVariable *List = M.getGlobalVariable("llvm.global_ctors");
  SmallVector<Constant *> Kept;
  for (Use &Entry : cast<ConstantArray>(List->getInitializer())->operands())
    if (!is_contained(Removed, cast<ConstantStruct>(Entry)->getOperand(1)))
      Kept.push_back(cast<Constant>(Entry.get()));
  auto *EntryTy = cast<ArrayType>(List->getValueType())->getElementType();
  auto *NewTy = ArrayType::get(EntryTy, Kept.size());
  auto *NewList = new GlobalVariable(M, NewTy, false, List->getLinkage(),
                                     ConstantArray::get(NewTy, Kept));
  NewList->takeName(List);
  List->eraseFromParent();
  for (Function *F : Removed) {
    F->removeDeadConstantUsers();
    F->eraseFromParent();
  }
  for (GlobalVariable *Note : notesOf(M))
    Note->removeDeadConstantUsers();
}

} // namespace

bool isModuleConstructor(const Function &F) {
  return F.hasFnAttribute(ConstructorAttribute);
}

bool unifyModuleSetup(Module &M) {
  SmallVector<Function *> Constructors;
  for (Function &F : M)
    if (isModuleConstructor(F))
      Constructors.push_back(&F);
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  for (GlobalVariable *Note : Notes)
    if (Note->getInitializer() != Notes.front()->getInitializer()) {
      reportError(M, "parts of '" + M.getModuleIdentifier() +
                         "' were marked with different layouts or granules; "
                         "compile every file of a program with the same "
                         "options of the pass");
      return false;
    }
  if (Constructors.size() > 1)
    removeConstructors(M, ArrayRef(Constructors).drop_front());
  for (GlobalVariable *Note : Notes)
    if (Note->use_empty())
      Note->eraseFromParent();
  return true;
}

bool setUpModule(Module &M, const PassOptions &Options) {
  Constant *Contents = noteContents(M.getContext(), Options.moduleInfo());
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  if (Notes.empty()) {
    makeConstructor(M, makeNote(M, Contents));
    makeSettingsSymbol(M, Options.moduleInfo());
    return true;
  }
  if (Notes.front()->getInitializer() == Contents)
    return unifyModuleSetup(M);
  reportError(M, "parts of '" + M.getModuleIdentifier() +
                     "' were marked with options other than " +
                     Options.describe() +
                     "; compile every file of a program with the same options "
                     "of the pass");
  return false;
}

} // namespace pagetide
