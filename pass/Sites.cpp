//===- Sites.cpp - Which place in the source made a mark ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sites.h"

#include "ConstructorLists.h"
#include "Diagnostics.h"

#include "pagetide/abi.h"
#include "pagetide/trace_encoding.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace pagetide {
namespace {

constexpr char TableSection[] = "pagetide_sites";

/// As other instrumented code's, before every constructor that may be marked.
constexpr int TablePriority = 0;

std::string fileOf(const DIFile *File) {
  if (!File)
    return "";
  StringRef Name = File->getFilename(), Directory = File->getDirectory();
  if (Directory.empty() || sys::path::is_absolute(Name))
    return Name.str();
  return (Directory + "/" + Name).str();
}

std::string functionOf(const DISubprogram *Subprogram) {
  if (!Subprogram)
    return "";
  StringRef Linkage = Subprogram->getLinkageName();
  return (Linkage.empty() ? Subprogram->getName() : Linkage).str();
}

SourcePlace placeOf(const DILocation &Location) {
  return {functionOf(Location.getScope()->getSubprogram()),
          fileOf(Location.getFile()), Location.getLine(), Location.getColumn()};
}

/// The place of \p I, then where it was inlined, the innermost first.
SmallVector<SourcePlace, 1> placesOf(const Instruction &I) {
  SmallVector<SourcePlace, 1> Places;
  for (const DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt())
    Places.push_back(placeOf(*At));
  if (!Places.empty())
    return Places;
  const Function &F = *I.getFunction();
  if (const DISubprogram *Subprogram = F.getSubprogram())
    Places.push_back({functionOf(Subprogram), fileOf(Subprogram->getFile())});
  else
    Places.push_back({nameInSource(F).str(), ""});
  return Places;
}

/// Different for different places.
std::string textOf(ArrayRef<SourcePlace> Places) {
  std::string Text;
  for (const SourcePlace &Place : Places) {
    Text += Place.Function + '\0' + Place.File + '\0';
    Text += std::to_string(Place.Line) + ':' + std::to_string(Place.Column);
    Text += '\n';
  }
  return Text;
}

uint8_t kindOf(const Instruction &I) {
  if (isa<LoadInst>(I)) // of a volatile one LLVM says that it may write
    return trace::kSiteReads;
  if (isa<StoreInst>(I))
    return trace::kSiteWrites;
  return (I.mayReadFromMemory() ? trace::kSiteReads : 0) |
         (I.mayWriteToMemory() ? trace::kSiteWrites : 0);
}

/// A function without parameters, to which its caller adds a body.
Function *makeFunction(Module &M, StringRef Name) {
  Function *F = Function::createWithDefaultAttr(
      FunctionType::get(Type::getVoidTy(M.getContext()), false),
      GlobalValue::InternalLinkage, 0, Name, &M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  BasicBlock::Create(M.getContext(), "", F);
  return F;
}

} // namespace

SiteTable::Site &SiteTable::siteOf(const Instruction &I) {
  auto [At, IsNew] =
      Known.try_emplace({I.getFunction(), I.getDebugLoc().getAsMDNode()}, 0);
  if (IsNew) {
    SmallVector<SourcePlace, 1> Places = placesOf(I);
    std::string Text = textOf(Places);
    auto [SameText, IsNewText] = ByText.try_emplace(Text, Sites.size());
    if (IsNewText)
      Sites.push_back({abi::site_id(xxh3_64bits(Text)), 0, std::move(Places)});
    At->second = SameText->second;
  }
  return Sites[At->second];
}

uint32_t SiteTable::idOf(const Instruction &I) {
  Site &Found = siteOf(I);
  Found.Kind |= kindOf(I);
  return Found.Id;
}

/// The payload of a SiteTable frame.
SmallVector<char, 0> SiteTable::encode() const {
  MapVector<StringRef, unsigned> Strings;
  auto IndexOf = [&](StringRef Text) {
    return Strings.try_emplace(Text, Strings.size()).first->second;
  };
  for (const Site &Site : Sites)
    for (const SourcePlace &Place : Site.Places) {
      IndexOf(Place.Function);
      IndexOf(Place.File);
    }
  SmallVector<char, 0> Payload;
  trace::PayloadEncoder Encoder(Payload);
  Encoder.site_table(Strings.size());
  for (const auto &[Text, Index] : Strings)
    Encoder.string({Text.data(), Text.size()});
  Encoder.site_count(Sites.size());
  for (const Site &Site : Sites) {
    Encoder.site(Site.Id, Site.Kind);
    for (const auto &[Number, Place] : enumerate(Site.Places)) {
      Encoder.site_place(IndexOf(Place.Function), IndexOf(Place.File),
                         Place.Line, Place.Column);
      if (Number == 0)
        Encoder.site_callers(Site.Places.size() - 1);
    }
  }
  return Payload;
}

SmallVector<Function *, 2> SiteTable::emit(Module &M) {
  if (Sites.empty())
    return {};
  SmallVector<char, 0> Payload = encode();
  Constant *Bytes = ConstantDataArray::getString(
      M.getContext(), StringRef(Payload.data(), Payload.size()),
      /*AddNull=*/false);
  auto *Table =
      new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Bytes, "pagetide.sites");
  Table->setSection(TableSection);
  Table->setAlignment(Align(1));
  // A sanitizer's red zone would be in the section too.
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true;
  Sanitizers.NoHWAddress = true;
  Table->setSanitizerMetadata(Sanitizers);

  IRBuilder<> Builder(M.getContext());
  Function *Constructor = makeFunction(M, "pagetide.sites_ctor");
  Builder.SetInsertPoint(&Constructor->getEntryBlock());
  Builder.CreateCall(
      M.getOrInsertFunction("__pagetide_add_sites", Builder.getVoidTy(),
                            Builder.getPtrTy(), Builder.getInt64Ty()),
      {Table, Builder.getInt64(Payload.size())});
  Builder.CreateRetVoid();
  appendTo(ConstructorList, M, Constructor, TablePriority);

  Function *Destructor = makeFunction(M, "pagetide.sites_dtor");
  Builder.SetInsertPoint(&Destructor->getEntryBlock());
  Builder.CreateCall(M.getOrInsertFunction("__pagetide_remove_sites",
                                           Builder.getVoidTy(),
                                           Builder.getPtrTy()),
                     {Table});
  Builder.CreateRetVoid();
  appendTo(DestructorList, M, Destructor, TablePriority);
  return {Constructor, Destructor};
}

} // namespace pagetide
