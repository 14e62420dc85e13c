//===- EntryTest.cpp - The test at an entry, as machine code --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide::target {
namespace {

/// In the large code model code and data may be further away than 2 GiB.
bool isFar(const Module &M) { return M.getCodeModel() == CodeModel::Large; }

/// True if calls of \p F may be checked to reach an ENDBR64.
bool needsEndBranch(const Function &F) {
  auto *Flag = mdconst::extract_or_null<ConstantInt>(
      F.getParent()->getModuleFlag("cf-protection-branch"));
  return Flag && !Flag->isZero() && !F.doesNoCfCheck();
}

/// What a function begins with: bytes, and distances to symbols.
class EntryCode {
public:
  explicit EntryCode(Function &F) : F(F), Context(F.getContext()) {}

  void addBytes(ArrayRef<uint8_t> Bytes) {
    add(ConstantDataArray::get(Context, Bytes), Bytes.size());
  }

  /// Adds 32 bits: from \p After bytes behind them to \p Target.
  void addDistance(Constant &Target, unsigned After = 0) {
    Constant *Distance = distance(Target, Size + 4 + After);
    add(ConstantExpr::getTrunc(Distance, Type::getInt32Ty(Context)), 4);
  }

  /// Adds 64 bits: from the function to \p Target.
  void addWideDistance(Constant &Target) { add(distance(Target, 0), 8); }

  unsigned size() const { return Size; }

  void addData(Constant &Data) {
    add(&Data, F.getParent()->getDataLayout().getTypeAllocSize(Data.getType()));
  }

  Constant *take() {
    return ConstantStruct::getAnon(Context, Parts, /*Packed=*/true);
  }

private:
  void add(Constant *Part, unsigned Bytes) {
    Parts.push_back(Part);
    Size += Bytes;
  }

  /// From \p Offset bytes behind the function's beginning to \p Target.
  Constant *distance(Constant &Target, unsigned Offset) {
    Type *Wide = Type::getInt64Ty(Context);
    // The function itself, and not what checked calls of it reach. Checked ones
    // have types. LLVM's global DCE crashes where it drops a function that this
    // form names, so others are named as ever (and see Plugin.cpp).
    Constant *Self = &F;
    if (F.hasMetadata(LLVMContext::MD_type))
      Self = NoCFIValue::get(&F);
    Constant *Here = ConstantExpr::getInBoundsGetElementPtr(
        Type::getInt8Ty(Context), Self, ConstantInt::get(Wide, Offset));
    return ConstantExpr::getSub(ConstantExpr::getPtrToInt(&Target, Wide),
                                ConstantExpr::getPtrToInt(Here, Wide));
  }

  Function &F;
  LLVMContext &Context;
  SmallVector<Constant *> Parts;
  unsigned Size = 0;
};

void addNearTest(EntryCode &Code, Function &Copy, GlobalVariable &On) {
  Code.addBytes({0x80, 0x3d}); // cmpb $0, On(%rip)
  Code.addDistance(On, /*After=*/1);
  Code.addBytes({0x00, 0x0f, 0x85}); // jne Copy
  Code.addDistance(Copy);
}

/// Uses r11, which belongs to no caller.
void addFarTest(EntryCode &Code, Function &F, Function &Copy,
                GlobalVariable &On) {
  constexpr unsigned TestSize = 20, JumpSize = 18, WideSize = 8;
  unsigned Begin = Code.size();
  auto AddressOf = [&](unsigned Wide) {
    Code.addBytes({0x4c, 0x8d, 0x1d}); // leaq F(%rip), %r11
    Code.addDistance(F);
    Code.addBytes({0x4c, 0x03, 0x1d}); // addq Wide(%rip), %r11
    Wide += Begin + TestSize + JumpSize;
    Code.addDistance(*ConstantExpr::getInBoundsGetElementPtr(
        Type::getInt8Ty(F.getContext()), &F,
        ConstantInt::get(Type::getInt64Ty(F.getContext()), Wide)));
  };
  AddressOf(0);
  Code.addBytes({0x41, 0x80, 0x3b, 0x00});        // cmpb $0, (%r11)
  Code.addBytes({0x74, JumpSize + 2 * WideSize}); // je behind the distances
  AddressOf(WideSize);
  Code.addBytes({0x3e, 0x41, 0xff, 0xe3}); // notrack jmpq *%r11
  Code.addWideDistance(On);
  Code.addWideDistance(Copy);
}

} // namespace

const char *whyNoEntryTest(const Function &F, bool IsStub) {
  if (F.getCallingConv() == CallingConv::X86_INTR)
    return "it is an interrupt handler";
  // The far test needs a register, and a stub has none.
  if (isFar(*F.getParent()) &&
      (IsStub || F.getCallingConv() == CallingConv::X86_RegCall ||
       F.hasFnAttribute("no_caller_saved_registers")))
    return "in the large code model no register or no place is free for the "
           "test at its entry";
  return nullptr;
}

void prependEntryTest(Function &F, Function &Copy, GlobalVariable &On) {
  EntryCode Code(F);
  if (needsEndBranch(F))
    Code.addBytes({0xf3, 0x0f, 0x1e, 0xfa}); // endbr64
  // It begins with a jump behind itself.
  if (F.hasPrologueData())
    Code.addData(*F.getPrologueData());
  if (isFar(*F.getParent()))
    addFarTest(Code, F, Copy, On);
  else
    addNearTest(Code, Copy, On);
  F.setPrologueData(Code.take());
}

InlineAsm *entryStub(FunctionType *Type) {
  return InlineAsm::get(
      Type, "cmpb $$0, ${0:c}(%rip)\n\tjne ${1:c}\n\tjmp ${2:c}", "i,i,i",
      /*hasSideEffects=*/true);
}

} // namespace pagetide::target
