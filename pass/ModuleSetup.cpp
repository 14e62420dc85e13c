//===- ModuleSetup.cpp - How a module announces itself --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModuleSetup.h"

#include "ConstructorLists.h"
#include "Diagnostics.h"
#include "OnDemand.h"
#include "PassOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>

using namespace llvm;

namespace pagetide {
namespace {

constexpr char ConstructorName[] = "pagetide.module_ctor";
constexpr char DestructorName[] = "pagetide.module_dtor";
constexpr char ConstructorAttribute[] = "pagetide-module-constructor";

/// Before every other constructor, since those may be marked code.
constexpr int ConstructorPriority = 0;

constexpr unsigned NameBytes = sizeof(abi::ModuleNote::name);

/// Field InfoField of a note, as its initializer has it.
constexpr unsigned InfoField = 4;
constexpr unsigned FlagsField = 4; ///< of the info
constexpr unsigned LinkField = 5;  ///< of a note

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

/// Gives \p Note, whose type is that of an abi::ModuleNote, its contents. Its
/// link is to \p Linked, if not null.
void fillNote(GlobalVariable &Note, const abi::ModuleInfo &Info,
              Constant *Linked) {
  Module &M = *Note.getParent();
  LLVMContext &Context = M.getContext();
  static_assert(sizeof(abi::kNoteName) <= NameBytes);
  char Name[NameBytes] = {};
  llvm::copy(abi::kNoteName, Name);
  Constant *Link = makeWord(Context, 0);
  if (Linked) {
    Type *Wide = Type::getInt64Ty(Context);
    Constant *Here = ConstantExpr::getInBoundsGetElementPtr(
        Note.getValueType(), &Note,
        ArrayRef<Constant *>{makeWord(Context, 0),
                             makeWord(Context, LinkField)});
    Link = ConstantExpr::getTrunc(
        ConstantExpr::getSub(addressOf(Linked, Wide), addressOf(Here, Wide)),
        Type::getInt32Ty(Context));
  }
  Note.setInitializer(ConstantStruct::getAnon(
      {makeWord(Context, sizeof(abi::kNoteName)),
       makeWord(Context,
                sizeof(abi::ModuleNote) - offsetof(abi::ModuleNote, info)),
       makeWord(Context, abi::kNoteType),
       ConstantDataArray::getString(Context, StringRef(Name, NameBytes),
                                    /*AddNull=*/false),
       infoContents(Context, Info), Link}));
}

/// Fills a note and its record.
void fillBoth(GlobalVariable &Note, GlobalVariable &Record,
              const abi::ModuleInfo &Info) {
  fillNote(Note, Info, &Record);
  fillNote(Record, Info,
           Info.flags & abi::kModuleOnDemand ? marksOnByte(*Record.getParent())
                                             : nullptr);
}

/// A variable for a note or a record.
GlobalVariable *makeNote(Module &M, const char *Name) {
  Type *Word = Type::getInt32Ty(M.getContext());
  Type *NoteType = StructType::get(
      M.getContext(),
      {Word, Word, Word,
       ArrayType::get(Type::getInt8Ty(M.getContext()), NameBytes),
       StructType::get(M.getContext(), {Word, Word, Word, Word, Word}), Word});
  auto *Note = new GlobalVariable(M, NoteType, /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, nullptr, Name);
  Note->setAlignment(Align(4));
  // A sanitizer's red zone would make the note unreadable.
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true;
  Sanitizers.NoHWAddress = true;
  Note->setSanitizerMetadata(Sanitizers);
  return Note;
}

/// The record to which the note \p Note is linked.
GlobalVariable &recordOf(const GlobalVariable &Note) {
  // trunc(record - here)
  auto *Link =
      cast<User>(Note.getInitializer()->getAggregateElement(LinkField));
  auto *Difference = cast<User>(Link->getOperand(0));
  return *cast<GlobalVariable>(
      cast<User>(Difference->getOperand(0))->getOperand(0));
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
  Type *Byte = Type::getInt8Ty(M.getContext());
  auto *Symbol = new GlobalVariable(
      M, Byte, /*isConstant=*/true, GlobalValue::ExternalLinkage,
      ConstantInt::get(Byte, 0), abi::kSettingsSymbol);
  Symbol->setVisibility(GlobalValue::HiddenVisibility);
  Symbol->setDSOLocal(true);
  Symbol->setComdat(M.getOrInsertComdat("__pagetide_settings." +
                                        utostr(abi::settings_value(Info))));
  // mold does not look for duplicates among what --gc-sections removes.
  appendToUsed(M, Symbol);
}

/// Makes a function that gives the record to an entry of the runtime.
Function *makeCaller(Module &M, const char *Name, const char *Entry,
                     GlobalVariable *Record) {
  LLVMContext &Context = M.getContext();
  auto *Type = FunctionType::get(Type::getVoidTy(Context), false);
  Function *F = Function::createWithDefaultAttr(
      Type, GlobalValue::InternalLinkage, 0, Name, &M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  F->addFnAttr(ConstructorAttribute);

  IRBuilder<> Builder(BasicBlock::Create(Context, "", F));
  FunctionCallee Callee =
      M.getOrInsertFunction(Entry, Builder.getVoidTy(), Builder.getPtrTy());
  Builder.CreateCall(Callee, Record);
  Builder.CreateRetVoid();
  return F;
}

/// What a function that makeCaller made gives to the runtime.
const Value *recordGivenBy(const Function &F) {
  return cast<CallInst>(F.getEntryBlock().front()).getArgOperand(0);
}

bool isUsedByConstructor(const GlobalVariable &Record) {
  return any_of(Record.users(), [](const User *U) { return isa<CallInst>(U); });
}

void addFlags(GlobalVariable &Note, uint32_t Flags) {
  abi::ModuleInfo Info = infoOf(Note);
  if ((Info.flags | Flags) == Info.flags)
    return;
  Info.flags |= Flags;
  fillBoth(Note, recordOf(Note), Info);
}

/// Removes a note and its record. Each refers to itself (fillNote).
void dropNote(GlobalVariable &Note) {
  removeFromUsedLists(*Note.getParent(),
                      [&](Constant *C) { return C == &Note; });
  for (GlobalVariable *Dropped : {&Note, &recordOf(Note)}) {
    Dropped->setInitializer(nullptr);
    Dropped->removeDeadConstantUsers();
    Dropped->eraseFromParent();
  }
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
  SmallVector<Function *> Constructors, Destructors;
  for (Function &F : M)
    if (isModuleConstructor(F))
      (F.getName().starts_with(DestructorName) ? Destructors : Constructors)
          .push_back(&F);
  // The first constructor and its record stay, and the record's destructor.
  if (!Constructors.empty()) {
    const Value *Kept = recordGivenBy(*Constructors.front());
    Constructors.erase(Constructors.begin());
    erase_if(Destructors,
             [&](const Function *F) { return recordGivenBy(*F) == Kept; });
  }
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
  removeFrom(ConstructorList, M, Constructors);
  removeFrom(DestructorList, M, Destructors);
  for (GlobalVariable *Note : Notes) {
    if (isUsedByConstructor(recordOf(*Note)))
      addFlags(*Note, Flags);
    else
      dropNote(*Note);
  }
  return true;
}

bool setUpModule(Module &M, const PassOptions &Options, bool IsAfterThinLink) {
  abi::ModuleInfo Info = Options.moduleInfo();
  if (usesApi(M))
    Info.flags |= abi::kModuleUsesApi;
  SmallVector<GlobalVariable *> Notes = notesOf(M);
  if (Notes.empty()) {
    GlobalVariable *Note = makeNote(M, "pagetide.note");
    GlobalVariable *Record = makeNote(M, "pagetide.record");
    Note->setSection(abi::kNoteSection);
    appendToCompilerUsed(M, Note);
    // A record in the large code model's sections may be too far for a link.
    Record->setCodeModel(CodeModel::Small);
    fillBoth(*Note, *Record, Info);
    appendTo(ConstructorList, M,
             makeCaller(M, ConstructorName, abi::kModuleInitName, Record),
             ConstructorPriority);
    // The runtime switches its byte until the file is unloaded.
    if (Info.flags & abi::kModuleOnDemand)
      appendTo(DestructorList, M,
               makeCaller(M, DestructorName, abi::kModuleExitName, Record),
               ConstructorPriority);
    // Of code that a thin link made, lld does not look at comdats. Clang's
    // bitcode has flags that say so; rustc's has none.
    if (!IsAfterThinLink)
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
