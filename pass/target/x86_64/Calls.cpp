//===- Calls.cpp - What calls write, and where parameters are -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallingConvention.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace pagetide::target {
namespace {

/// True if code generation may turn \p Call into a jump. Then the function ends
/// right after the call, perhaps in a block that several blocks share, and
/// returns only what the call returns.
bool mayBecomeJump(const CallInst &Call) {
  if (!Call.isTailCall())
    return false;
  const BasicBlock *Block = Call.getParent();
  for (const Instruction *I = Call.getNextNode(); I; I = I->getNextNode())
    if (I->mayHaveSideEffects() && !I->isLifetimeStartOrEnd() &&
        !I->isTerminator())
      return false;
  const BasicBlock *End = Block;
  if (const BasicBlock *Next = Block->getSingleSuccessor())
    End = Next;
  auto *Return = dyn_cast<ReturnInst>(End->getTerminator());
  if (!Return)
    return false;
  const Value *Result = Return->getReturnValue();
  if (!Result)
    return true;
  if (auto *Joined = dyn_cast<PHINode>(Result);
      Joined && Joined->getParent() == End && End != Block)
    Result = Joined->getIncomingValueForBlock(Block);
  // The result may be a part of the call's result, or an argument that it
  // returns.
  while (isa<CastInst, ExtractValueInst>(Result))
    Result = cast<User>(Result)->getOperand(0);
  return Result == &Call || isa<UndefValue, InsertValueInst>(Result) ||
         is_contained(Call.args(), Result);
}

/// True if \p Call may pass arguments on the stack.
bool mayPassOnStack(const CallBase &Call) {
  return Call.arg_size() > ArgumentRegisters ||
         any_of(Call.args(), [&](const Use &Argument) {
           return Call.isByValArgument(Call.getArgOperandNo(&Argument)) ||
                  !takesOneRegister(Argument->getType());
         });
}

/// True if calls in \p F that pass arguments on the stack may move the stack
/// pointer to do so.
bool mayMoveStack(const Function &F) {
  return F.hasOptSize() || any_of(instructions(F), [](const Instruction &I) {
           auto *Alloca = dyn_cast<AllocaInst>(&I);
           return Alloca && !Alloca->isStaticAlloca();
         });
}

} // namespace

bool ReturnAddresses::isWrittenBy(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(Call) ||
      isa<CallBrInst>(Call))
    return false;
  auto *Plain = dyn_cast<CallInst>(Call);
  if (Plain && mayBecomeJump(*Plain))
    return false;
  if (!mayPassOnStack(*Call))
    return true;
  if (!MovesStack)
    MovesStack = mayMoveStack(F);
  return !*MovesStack;
}

Value *ReturnAddresses::writtenTo(IRBuilderBase &Builder) {
  LLVMContext &Context = Builder.getContext();
  Metadata *Name = MDString::get(Context, "rsp");
  Value *Register = MetadataAsValue::get(Context, MDNode::get(Context, Name));
  Value *StackPointer = Builder.CreateIntrinsic(
      Intrinsic::read_register, {Builder.getInt64Ty()}, {Register});
  return Builder.CreateSub(StackPointer, Builder.getInt64(8));
}

unsigned parametersInRegisters(const Function &F) {
  unsigned Count = 0;
  for (const Argument &A : F.args()) {
    if (Count == ArgumentRegisters || A.hasByValAttr() ||
        !takesOneRegister(A.getType()))
      break;
    ++Count;
  }
  return Count;
}

} // namespace pagetide::target
