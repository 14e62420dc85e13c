//===- Target.h - What the pass asks of the processor -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass knows of a processor: its code generation, its calls, and what
// the C library's structures look like on it. A folder beside this file, which
// is named after the processor, defines all of this. Nothing outside that
// folder names a register or an instruction (scripts/check_target.py).

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class AnyMemIntrinsic;
class AsmToken;
class Function;
class FunctionType;
class GlobalVariable;
class InlineAsm;
class Instruction;
class IntrinsicInst;
class IRBuilderBase;
class Module;
class Triple;
class Value;
} // namespace llvm

namespace pagetide {

class AsmTexts;
struct Access;
using AccessList = llvm::SmallVectorImpl<Access>;

namespace target {

/// Whether the pass marks code for \p Target, and what it marks code for.
bool isSupported(const llvm::Triple &Target);
extern const char SupportedTarget[];

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Appends the accesses of the processor's own intrinsics, and of those whose
/// bytes depend on the processor. False if \p I is none of these.
bool collectAccesses(llvm::IntrinsicInst &I, AccessList &List);

/// What setjmp writes: registers and whether a mask was saved; and the mask, if
/// it was.
struct JumpBuffer {
  uint64_t RegisterBytes, MaskOffset;
};
extern const JumpBuffer LibcJumpBuffer;

/// Replaces the va_arg instructions of \p F by the loads and stores that code
/// generation would expand them to. Clang expands va_arg itself. Other front
/// ends leave that to code generation, which is too late for marks.
void expandVarArgs(llvm::Function &F);

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What the address space of a pointer means.
enum class PointerKind : uint8_t {
  Plain,             ///< an address as the processor forms it
  ZeroExtended,      ///< what lacks in length is zero
  SignExtended,      ///< a pointer of 32 bits
  FromThreadPointer, ///< an offset from the thread pointer
  FromShadowBase,    ///< an offset from what is the shadow's base
};

/// That of \p Pointer, or of each pointer of a vector.
PointerKind pointerKind(const llvm::Value &Pointer);

/// The pointer to byte \p Offset of the running thread's shadow.
llvm::Value *shadowPointer(llvm::IRBuilderBase &Builder, llvm::Value *Offset);

/// The address of \p Local, computed anew. Otherwise code generation that does
/// not optimise shares it, and keeps it on the stack.
llvm::Value *addressOfLocal(llvm::IRBuilderBase &Builder, llvm::Value &Local);

/// The address of \p F as the loader knows it, even if the linker could make it
/// a constant.
llvm::Value *addressByLoader(llvm::IRBuilderBase &Builder, llvm::Function &F);

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// How many of the first parameters are certainly passed in registers.
unsigned parametersInRegisters(const llvm::Function &F);

/// Option frames marks the return address that a call writes. This class says
/// for which calls the address of that write is known before the call.
class ReturnAddresses {
public:
  explicit ReturnAddresses(const llvm::Function &F) : F(F) {}

  /// True if \p I is a call that writes its return address at writtenTo().
  bool isWrittenBy(const llvm::Instruction &I);

  static llvm::Value *writtenTo(llvm::IRBuilderBase &Builder);

private:
  const llvm::Function &F;
  /// Whether calls may move the stack pointer for their arguments; computed
  /// when first needed.
  std::optional<bool> MovesStack;
};

/// What code generation for the processor of one function makes instructions
/// of, and not calls (Expansion.h).
class Lowering {
public:
  Lowering(const llvm::Function &F, bool IsUnoptimized);

  /// False if nothing is known.
  bool isOperationInPlace(const llvm::Instruction &I) const;
  bool isIntrinsicInPlace(const llvm::IntrinsicInst &I) const;

private:
  bool isInPlace(unsigned Opcode, const llvm::Instruction &I) const;
  bool isTransferInPlace(const llvm::AnyMemIntrinsic &I) const;

  unsigned Features; ///< a set of what the function's processor has
  bool IsUnoptimized;
  bool IsForSize;
  bool MovesUnaligned; ///< the widest register at once, aligned or not
};

//===----------------------------------------------------------------------===//
// The test at a function's entry
//===----------------------------------------------------------------------===//

/// Why \p F cannot begin with a test; null if it can. \p IsStub says that it
/// would be a stub.
const char *whyNoEntryTest(const llvm::Function &F, bool IsStub);

/// Makes \p F begin with: if \p On is not 0, jump to \p Copy.
void prependEntryTest(llvm::Function &F, llvm::Function &Copy,
                      llvm::GlobalVariable &On);

/// All of a stub: if its first operand is not 0, jump to the second, otherwise
/// to the third.
llvm::InlineAsm *entryStub(llvm::FunctionType *Type);

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// A text of an operand: memory, or a register.
const char *asmOperand(bool IsMemory);

/// True if only the processor's own parser knows the directive \p Name. It may
/// change \p Dialect, which is 0 or 1.
bool isOwnDirective(llvm::StringRef Name, unsigned &Dialect);

/// True if an instruction sets the shadow's base, or accesses memory relative
/// to it.
bool usesShadowBase(llvm::StringRef Name, llvm::ArrayRef<llvm::AsmToken> Tokens,
                    unsigned Dialect);

/// Reports an error for each of \p Functions, and each naked function of \p M,
/// that sets the shadow's base, or by assembly accesses memory relative to it.
/// Only warns of assembly outside functions.
void refuseShadowBase(const llvm::Module &M,
                      llvm::ArrayRef<llvm::Function *> Functions,
                      const AsmTexts &Texts);

/// Reports an error: \p I accesses memory relative to the shadow's base.
void refuseShadowAccess(const llvm::Instruction &I);

} // namespace target
} // namespace pagetide
