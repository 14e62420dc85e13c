//===- SegmentGs.cpp - Code that wants segment GS for itself --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmTexts.h"
#include "Diagnostics.h"
#include "target/Target.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmMacro.h"

using namespace llvm;

namespace pagetide::target {
namespace {

/// What \p Call does with segment GS; null if nothing that matters.
const char *useOfGs(const CallBase &Call, const AsmTexts &Texts) {
  if (Call.isInlineAsm())
    return Texts.usesShadowBase(Call)
               ? "sets segment GS, or accesses memory relative to it, by "
                 "inline assembly"
               : nullptr;
  Intrinsic::ID Id = Call.getIntrinsicID();
  return Id == Intrinsic::x86_wrgsbase_32 || Id == Intrinsic::x86_wrgsbase_64
             ? "sets the base of segment GS (_writegsbase)"
             : nullptr;
}

void refuseFunction(const Function &F, const AsmTexts &Texts) {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const char *Use = Call ? useOfGs(*Call, Texts) : nullptr;
    if (!Use)
      continue;
    reportError(*F.getParent(), I.getDebugLoc(),
                "function '" + F.getName() + "' " + Use +
                    ", but the base of GS is Pagetide's; use segment FS or a "
                    "plain pointer");
    return;
  }
}

} // namespace

void refuseShadowBase(const Module &M, ArrayRef<Function *> Functions,
                      const AsmTexts &Texts) {
  for (const Function *F : Functions)
    refuseFunction(*F, Texts);
  for (const Function &F : M)
    if (F.hasFnAttribute(Attribute::Naked) &&
        !F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
      refuseFunction(F, Texts);
  if (Texts.moduleUsesShadowBase())
    reportWarning(M, DebugLoc(),
                  M.getSourceFileName() +
                      ": assembly outside functions uses segment GS, but its "
                      "base is Pagetide's while a program is recorded");
}

void refuseShadowAccess(const Instruction &I) {
  reportError(
      *I.getModule(), I.getDebugLoc(),
      "function '" + nameInSource(*I.getFunction()) +
          "' accesses memory relative to segment GS (__seg_gs), but the "
          "base of GS is Pagetide's; access that memory by __seg_fs or "
          "by a plain pointer");
}

bool usesShadowBase(StringRef Name, ArrayRef<AsmToken> Tokens,
                    unsigned Dialect) {
  bool IsIntel = Dialect, IsFirst = true, IsRead = Name.starts_with("push");
  bool Found = StringSwitch<bool>(Name)
                   .StartsWith("wrgsbase", true)
                   .StartsWith("lgs", true)
                   .Cases("gs", "swapgs", true)
                   .Default(false);
  while (!Tokens.empty()) {
    bool IsRegister = IsIntel;
    if (Tokens.front().is(AsmToken::Percent)) {
      IsRegister = true;
      Tokens = Tokens.drop_front();
      if (Tokens.empty())
        break;
    }
    const AsmToken &Word = Tokens.front();
    Tokens = Tokens.drop_front();
    if (Word.is(AsmToken::Identifier) &&
        Word.getString().equals_insensitive("gs")) {
      // Memory, or the register that is written: AT&T names that last.
      bool IsLast = Tokens.empty();
      Found |= (!IsLast && Tokens.front().is(AsmToken::Colon)) ||
               (IsRegister && !IsRead && (IsIntel ? IsFirst : IsLast));
    }
    IsFirst = false;
  }
  return Found;
}

bool isOwnDirective(StringRef Name, unsigned &Dialect) {
  if (Name == ".intel_syntax" || Name == ".att_syntax") {
    Dialect = Name == ".intel_syntax";
    return true;
  }
  return Name.starts_with(".code") || Name == ".nops" || Name == ".even" ||
         Name == ".arch";
}

const char *asmOperand(bool IsMemory) { return IsMemory ? "(%rax)" : "%rax"; }

} // namespace pagetide::target
