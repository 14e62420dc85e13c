//===- Addresses.cpp - How x86 forms addresses ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of the thread's shadow is the base of segment GS plus a
// displacement. LLVM's x86 code generation gives these address spaces a special
// meaning:
//
//   256 (__seg_gs)   an offset from the base of segment GS, which is Pagetide's
//   257 (__seg_fs)   an offset from the base of segment FS, the thread pointer
//   270 (__sptr)     a pointer of 32 bits, extended by its sign
//   271 (__uptr)     a pointer of 32 bits, extended by zeroes
//
// Every other address space is memory like that of address space 0. So a mark
// is two instructions: shr, and mov to gs:[2*index + bias + 1].

#include "target/Target.h"

#include "pagetide/abi.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace pagetide::target {

const char SupportedTarget[] = "64-bit x86 and ELF";

bool isSupported(const Triple &Target) {
  return Target.getArch() == Triple::x86_64 && Target.isOSBinFormatELF() &&
         !Target.isX32();
}

PointerKind pointerKind(const Value &Pointer) {
  switch (Pointer.getType()->getPointerAddressSpace()) {
  case 0:
    return PointerKind::Plain;
  case abi::kShadowAddressSpace:
    return PointerKind::FromShadowBase;
  case 257:
    return PointerKind::FromThreadPointer;
  case 270:
    return PointerKind::SignExtended;
  default:
    return PointerKind::ZeroExtended;
  }
}

Value *shadowPointer(IRBuilderBase &Builder, Value *Offset) {
  return Builder.CreateIntToPtr(Offset,
                                Builder.getPtrTy(abi::kShadowAddressSpace));
}

Value *addressOfLocal(IRBuilderBase &Builder, Value &Local) {
  auto *AsmType = FunctionType::get(Builder.getInt64Ty(), {Local.getType()},
                                    /*isVarArg=*/false);
  CallInst *Bits = Builder.CreateCall(
      InlineAsm::get(AsmType, "leaq $1, $0", "=r,*m", /*hasSideEffects=*/false),
      {&Local});
  Bits->addParamAttr(0, Attribute::get(Builder.getContext(),
                                       Attribute::ElementType,
                                       Builder.getInt8Ty()));
  Bits->setDoesNotThrow();
  return Bits;
}

Value *addressByLoader(IRBuilderBase &Builder, Function &F) {
  auto *AsmType =
      FunctionType::get(F.getType(), {F.getType()}, /*isVarArg=*/false);
  return Builder.CreateCall(
      AsmType,
      InlineAsm::get(AsmType, "movq ${1:c}@GOTPCREL(%rip), $0", "=r,i",
                     /*hasSideEffects=*/false),
      {&F});
}

} // namespace pagetide::target
