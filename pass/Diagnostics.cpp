//===- Diagnostics.cpp - What the pass tells the user ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <string>

using namespace llvm;

namespace pagetide {
namespace {

class PassDiagnostic : public DiagnosticInfo {
public:
  PassDiagnostic(DiagnosticSeverity Severity, const Twine &Message)
      : DiagnosticInfo(kind(), Severity), Message(Message.str()) {}

  void print(DiagnosticPrinter &Printer) const override { Printer << Message; }

private:
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }

  std::string Message;
};

std::string placeOf(const DebugLoc &Loc) {
  if (!Loc)
    return "";
  return (Loc->getFilename() + ":" + Twine(Loc.getLine()) + ": ").str();
}

} // namespace

void reportError(const Module &M, const Twine &Message) {
  M.getContext().diagnose(PassDiagnostic(DS_Error, "Pagetide: " + Message));
}

void reportError(const Module &M, const DebugLoc &Loc, const Twine &Message) {
  std::string Where = placeOf(Loc);
  if (Where.empty())
    Where = M.getSourceFileName() + ": ";
  M.getContext().diagnose(
      PassDiagnostic(DS_Error, Where + "Pagetide: " + Message));
}

void reportWarning(const Module &M, const DebugLoc &Loc, const Twine &Message) {
  std::string Where = placeOf(Loc);
  M.getContext().diagnose(
      PassDiagnostic(DS_Warning, Where + "Pagetide: " + Message));
}

StringRef nameInSource(const Function &F) {
  StringRef Name = F.getName();
  Name.consume_back(CopySuffix);
  return Name;
}

} // namespace pagetide
