//===- MarkEmitter.h - How a mark is made -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the steps of a plan into IR.
//
// A mark is a volatile store of one byte into the running thread's shadow:
//
//     %address = ptrtoint ptr %p to i64
//     %index   = lshr i64 %address, 12
//     %pair    = add nuw i64 %index, %index   ; layout rw: two cells an index
//     %cell    = add i64 %pair, kShadowBias + 1 ; the second for stores
//     store volatile i8 1, ptr ...            ; target::shadowPointer(%cell)
//
// A read and a write of one place have one mark of two bytes.
//
// Under a layout with sites it is a store of the site's id, of four bytes:
//
//     %cell    = shl nuw i64 %index, 3        ; layout rw-site
//     store volatile i32 7654321, ptr ..., align 4
//
// It is volatile so that it is not removed. It has no alias information on
// purpose: if code generation knew that marks and accesses never overlap, it
// would move accesses before their marks.

#pragma once

#include "MarkPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class AllocaInst;
class CallInst;
class Function;
class Module;
} // namespace llvm

namespace pagetide {

class SiteTable;

class MarkEmitter {
public:
  /// \p KeepsIndices: segments of one block share what they compute. Code
  /// generation finds that by itself, but it takes long in long functions. No
  /// step may precede an earlier one of its block.
  /// If \p On is given, marks are made only while that byte is set.
  MarkEmitter(llvm::Function &F, const PassOptions &Options, SiteTable &Sites,
              bool KeepsIndices, llvm::GlobalVariable *On = nullptr);

  /// Emits one step of the plan. Steps must come in the plan's order.
  void emit(const MarkStep &Step);

private:
  // Steps.
  void emitByte(const MarkStep &Step);
  void emitSanitizedTransfer(llvm::MemIntrinsic &I);
  void emitTransfer(llvm::Instruction &Transfer);
  void emitShaped(const Access &A);
  void emitLanes(const Access &A);
  void emitEachLane(const Access &A);
  void emitPacked(const Access &A);
  void emitCheckBegin();
  void emitCalls(const Access &A, bool IsCheck);

  // Parts of steps. All of them emit at the builder's insertion point.
  void startAt(llvm::Instruction &Before);
  void startIf(llvm::Value *Condition, llvm::Instruction &Before,
               llvm::MDNode *Weights = nullptr);
  void startIfOn(llvm::Instruction &Before);
  llvm::Value *addressBits(llvm::Value *Pointer);
  llvm::Value *laneBits(const Access &A);
  llvm::Value *laneAddress(const Access &A, unsigned Lane);
  void markByte(llvm::Value *AddressBits, AccessKind Kind);
  void markRange(llvm::Value *Pointer, llvm::Value *Bytes, AccessKind Kind);
  llvm::CallInst *callRuntime(llvm::StringRef Name, llvm::Type *Result,
                              llvm::ArrayRef<llvm::Value *> Arguments,
                              bool IsInPlaceOfName = false);
  void callForRange(llvm::StringRef Name, llvm::Value *Pointer,
                    llvm::Value *Bytes);

  // The mark itself.
  llvm::Value *indexFor(const MarkStep &Step);
  llvm::Value *indexOf(llvm::Value *AddressBits, bool IsNear = false);
  llvm::Value *shadowOf(llvm::Value *Index, unsigned Cell, bool IsNear);
  void storeMark(llvm::Value *Index, unsigned Cell, llvm::ConstantInt *Mark,
                 bool IsNear = false);
  llvm::ConstantInt *certainMark();

  llvm::Function &F;
  llvm::Module &M;
  const PassOptions &Options;
  SiteTable &Sites;
  uint32_t Site = 0; ///< of the step, under a layout with sites
  /// It tells other passes that they need not instrument what it emits.
  llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter>
      Builder;

  llvm::GlobalVariable *On;
  /// The block before this instruction runs only while marks are on. It ends
  /// there.
  llvm::Instruction *BeforeIsTested = nullptr, *EndOfTested = nullptr;

  /// A local variable: the beginning of the segment, for its checks.
  llvm::AllocaInst *CheckBegin = nullptr;

  /// Indices computed in this segment, by base, offset and whether near.
  bool KeepsIndices;
  unsigned Segment = ~0u;
  const llvm::BasicBlock *Block = nullptr;
  llvm::DenseMap<std::pair<llvm::Value *, std::pair<int64_t, unsigned>>,
                 llvm::Value *>
      Indices;
  /// If indices are kept: where the mark of an index and a cell goes.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> Shadows;
};

} // namespace pagetide
