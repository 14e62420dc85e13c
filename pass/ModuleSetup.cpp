//===- ModuleSetup.cpp - How a module announces itself --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSetup.h"

#include "Diagnostics.h"
#include "OnDemand.h"
#include "PassOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>
#include <string>

using namespace llvm;

namespace pagetide {
namespace {

constexpr char ConstructorName[] = "pagetide.module_ctor";
constexpr char ConstructorAttribute[] = "pagetide-module-constructor";

/// Before every other constructor, since those may be marked code.
constexpr int ConstructorPriority = 0;

constexpr unsigned NameBytes = sizeof(abi::ModuleNote::name);

/// Field InfoField of a note, as its initializer has it.
constexpr unsigned InfoField = 4;
constexpr unsigned FlagsField = 4; ///< of the info
constexpr unsigned MarksOnField = 5;

Constant *makeWord(LLVMContext &Context, uint32_t Value) {
  return ConstantInt::get(Type::getInt32Ty(Context), Value);
}

/// An abi::ModuleInfo.
Constant *infoContents(LLVMContext &Context, const abi::ModuleInfo &Info) {
  return ConstantStruct::getAnon(
      {makeWord(Context, Info.abi_version), makeWord(Context, Info.layout),
       makeWord(Context, Info.cell_shift),
       makeWord(Context, Info.granule_shift), makeWord(Context, Info.flags)});
}

Constant *addressOf(Constant *Address, Type *Integer) {
  return ConstantExpr::getPtrToInt(Address, Integer);
}

/// Gives \p Note, whose type is that of an abi::ModuleNote, its contents.
void fillNote(GlobalVariable &Note, const abi::ModuleInfo &Info) {
  Module &M = *Note.getParent();
  LLVMContext &Context = M.getContext();
  static_assert(sizeof(abi::kNoteName) <= NameBytes);
  char Name[NameBytes] = {};
  llvm::copy(abi::kNoteName, Name);
  Constant *MarksOn = makeWord(Context, 0);
  if (Info.flags & abi::kModuleOnDemand) {
    Type *Wide = Type::getInt64Ty(Context);
    Constant *Here = ConstantExpr::getInBoundsGetElementPtr(
        Note.getValueType(), &Note,
        ArrayRef<Constant *>{makeWord(Context, 0),
                             makeWord(Context, MarksOnField)});
    MarksOn = ConstantExpr::getTrunc(
        ConstantExpr::getSub(addressOf(marksOnByte(M), Wide),
                             addressOf(Here, Wide)),
        Type::getInt32Ty(Context));
  }
  Note.setInitializer(ConstantStruct::getAnon(
      {makeWord(Context, sizeof(abi::kNoteName)),
       makeWord(Context,
                sizeof(abi::ModuleNote) - offsetof(abi::ModuleNote, info)),
       makeWord(Context, abi::kNoteType),
       ConstantDataArray::getString(Context, StringRef(Name, NameBytes),
                                    /*AddNull=*/false),
       infoContents(Context, Info), MarksOn}));
}

GlobalVariable *makeNote(Module &M, const abi::ModuleInfo &Info) {
  Type *Word = Type::getInt32Ty(M.getContext());
  Type *NoteType = StructType::get(
      M.getContext(),
      {Word, Word, Word,
       ArrayType::get(Type::getInt8Ty(M.getContext()), NameBytes),
       StructType::get(M.getContext(), {Word, Word, Word, Word, Word}), Word});
  auto *Note =
      new GlobalVariable(M, NoteType, /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, nullptr, "pagetide.note");
  fillNote(*Note, Info);
  Note->setSection(abi::kNoteSection);
  Note->setAlignment(Align(4));
  // A sanitizer's red zone would make the note unreadable.
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true;
  Sanitizers.NoHWAddress = true;
  Note->setSanitizerMetadata(Sanitizers);
  return Note;
}

/// What the note \p Note says.
abi::ModuleInfo infoOf(const GlobalVariable &Note) {
  Constant *Info = Note.getInitializer()->getAggregateElement(InfoField);
  auto Field = [&](unsigned Index) {
    Constant *Value = Info->getAggregateElement(Index);
    return static_cast<uint32_t>(cast<ConstantInt>(Value)->getZExtValue());
  };
  return {Field(0), Field(1), Field(2), Field(3), Field(FlagsField)};
}

/// Whether all code of a program may say both.
bool agree(const abi::ModuleInfo &A, const abi::ModuleInfo &B) {
  constexpr uint32_t Own = abi::kModuleUsesApi; // each file says so for itself
  return A.abi_version == B.abi_version && A.layout == B.layout &&
         A.cell_shift == B.cell_shift && A.granule_shift == B.granule_shift &&
         (A.flags | Own) == (B.flags | Own);
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
  Builder.CreateCall(Init, Note);
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

/// A note refers to itself (fillNote).
bool isUsedByConstructor(const GlobalVariable &Note) {
  return any_of(Note.users(), [](const User *U) { return isa<CallInst>(U); });
}

void addFlags(GlobalVariable &Note, uint32_t Flags) {
  abi::ModuleInfo Info = infoOf(Note);
  if ((Info.flags | Flags) == Info.flags)
    return;
  Info.flags |= Flags;
  fillNote(Note, Info);
  Note.removeDeadConstantUsers();
}

void dropNote(GlobalVariable &Note) {
  Note.setInitializer(nullptr);
  Note.removeDeadConstantUsers();
  Note.eraseFromParent();
}

/// Functions of pagetide.h, which are references that need not be defined.
bool usesApi(const Module &M) {
  return any_of(M.functions(), [](const Function &F) {
    return F.getName().starts_with("__pagetide_api_") && !F.use_empty();
  });
}

} // namespace

bool isModuleConstructor(const Function &F) {
  return F.hasFnAttribute(ConstructorAttribute);
}

void takeOptionsOfMarkedParts(Module &M, PassOptions &Options) {
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  if (!Notes.empty())
    Options.takeUngiven(infoOf(*Notes.front()));
}

bool unifyModuleSetup(Module &M) {
  SmallVector<Function *> Constructors;
  for (Function &F : M)
    if (isModuleConstructor(F))
      Constructors.push_back(&F);
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  uint32_t Flags = 0;
  for (GlobalVariable *Note : Notes) {
    Flags |= infoOf(*Note).flags;
    if (!agree(infoOf(*Note), infoOf(*Notes.front()))) {
      reportError(M, "parts of '" + M.getModuleIdentifier() +
                         "' were marked with different layouts or granules; "
                         "compile every file of a program with the same "
                         "options of the pass");
      return false;
    }
  }
  if (Constructors.size() > 1)
    removeConstructors(M, ArrayRef(Constructors).drop_front());
  for (GlobalVariable *Note : Notes) {
    Note->removeDeadConstantUsers();
    if (isUsedByConstructor(*Note))
      addFlags(*Note, Flags);
    else
      dropNote(*Note);
  }
  return true;
}

bool setUpModule(Module &M, const PassOptions &Options) {
  abi::ModuleInfo Info = Options.moduleInfo();
  if (usesApi(M))
    Info.flags |= abi::kModuleUsesApi;
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  if (Notes.empty()) {
    makeConstructor(M, makeNote(M, Info));
    makeSettingsSymbol(M, Info);
    return true;
  }
  if (agree(infoOf(*Notes.front()), Info)) {
    addFlags(*Notes.front(), Info.flags);
    return unifyModuleSetup(M);
  }
  reportError(M, "parts of '" + M.getModuleIdentifier() +
                     "' were marked with options other than " +
                     Options.describe() +
                     "; compile every file of a program with the same options "
                     "of the pass");
  return false;
}

} // namespace pagetide
