//===- AsmTexts.cpp - What LLVM's assembler says of inline assembly -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmTexts.h"

#include "LlvmCompat.h"
#include "target/Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace pagetide {
namespace {

//===----------------------------------------------------------------------===//
// Texts with operands
//===----------------------------------------------------------------------===//

/// A text of each operand of \p Call: what code generation may choose. Parsing
/// looks at operands in directives and in the arguments of macros only.
SmallVector<std::string> operandTexts(const CallBase &Call,
                                      const InlineAsm &Asm) {
  SmallVector<std::string> Texts;
  unsigned Argument = 0;
  for (const InlineAsm::ConstraintInfo &Constraint : Asm.ParseConstraints()) {
    if (Constraint.Type == InlineAsm::isClobber)
      continue;
    if (Constraint.Type == InlineAsm::isLabel) {
      Texts.push_back(".Lpagetide_label");
      continue;
    }
    const Value *Passed = nullptr;
    if (Constraint.Type == InlineAsm::isInput || Constraint.isIndirect)
      Passed = Call.getArgOperand(Argument++);
    if (const auto *Number = dyn_cast_or_null<ConstantInt>(Passed);
        Number && Number->getBitWidth() <= 64)
      Texts.push_back(std::to_string(Number->getSExtValue()));
    else if (isa_and_nonnull<Constant>(Passed) && !Constraint.isIndirect)
      Texts.push_back("pagetide_symbol");
    else
      Texts.push_back(target::asmOperand(Constraint.isIndirect));
  }
  return Texts;
}

/// The text of \p Call as code generation prints it. \p Copy numbers what has a
/// number of its own in each copy.
std::string textOf(const CallBase &Call, unsigned Copy) {
  const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
  SmallVector<std::string> Operands = operandTexts(Call, Asm);
  const int Dialect = Asm.getDialect();
  int Variant = -1; // in $( ... $| ... $)
  std::string Text;
  StringRef Rest = Asm.getAsmString();
  while (!Rest.empty()) {
    bool IsPrinted = Variant == -1 || Variant == Dialect;
    auto [Plain, Behind] = Rest.split('$');
    if (IsPrinted)
      Text += Plain;
    if (Plain.size() == Rest.size() || Behind.empty())
      break;
    Rest = Behind;
    char Kind = Rest.front();
    if (Kind == '$' || Kind == '(' || Kind == '|' || Kind == ')') {
      Rest = Rest.drop_front();
      if (Kind == '$' && IsPrinted)
        Text += '$';
      else if (Kind == '(')
        Variant = 0;
      else if (Kind == '|')
        ++Variant;
      else if (Kind == ')')
        Variant = -1;
      continue;
    }
    StringRef Modifier;
    if (Rest.consume_front("{"))
      std::tie(Modifier, Rest) = Rest.split('}');
    else
      Modifier = Rest.take_while([](char C) { return isDigit(C); }),
      Rest = Rest.drop_front(Modifier.size());
    auto [Number, Letter] = Modifier.split(':');
    unsigned Index;
    if (!IsPrinted)
      continue;
    if (Number.empty()) {
      if (Letter == "uid")
        Text += std::to_string(Copy);
      else if (Letter == "private")
        Text += ".L";
      else if (Letter == "comment")
        Text += '#';
    } else if (!Number.getAsInteger(10, Index) && Index < Operands.size()) {
      const std::string &Operand = Operands[Index];
      bool IsNumber = isDigit(Operand.front()) || Operand.front() == '-';
      if (IsNumber && Letter.empty() && !Dialect)
        Text += '$';
      if (Letter == "n")
        Text += '-';
      Text += Operand;
    }
  }
  return Text;
}

//===----------------------------------------------------------------------===//
// Instructions, and use of the shadow's base
//===----------------------------------------------------------------------===//

/// Accepts any instruction. The parser around it does the rest: directives,
/// labels, macros.
class AnyInstruction : public MCTargetAsmParser {
public:
  AnyInstruction(MCAsmParser &Parser, const MCTargetOptions &Options,
                 const MCSubtargetInfo &Subtarget,
                 const MCInstrInfo &Instructions, unsigned Dialect)
      : MCTargetAsmParser(Options, Subtarget, Instructions), Parser(Parser),
        Dialect(Dialect) {
    setAvailableFeatures({});
  }

  bool usesShadowBase() const { return UsesShadowBase; }

  bool parseRegister(MCRegister &Register, SMLoc &Start, SMLoc &End) override {
    return !tryParseRegister(Register, Start, End).isSuccess();
  }

  ParseStatus tryParseRegister(MCRegister &Register, SMLoc &Start,
                               SMLoc &End) override {
    Start = Parser.getTok().getLoc();
    Parser.parseOptionalToken(AsmToken::Percent);
    if (Parser.getTok().isNot(AsmToken::Identifier))
      return ParseStatus::NoMatch;
    End = Parser.getTok().getEndLoc();
    Parser.Lex();
    Register = 1; // any
    return ParseStatus::Success;
  }

  bool PAGETIDE_PARSE_INSTRUCTION(ParseInstructionInfo &, StringRef Name, SMLoc,
                                  OperandVector &) override {
    SmallVector<AsmToken> Tokens;
    while (!Parser.getTok().is(AsmToken::EndOfStatement) &&
           !Parser.getTok().is(AsmToken::Eof)) {
      Tokens.push_back(Parser.getTok());
      Parser.Lex();
    }
    UsesShadowBase |= target::usesShadowBase(Name, Tokens, Dialect);
    Parser.eatToEndOfStatement();
    return false;
  }

  // A prefix such as {evex}. LLVM 19 does not ask.
  bool tokenIsStartOfStatement(AsmToken::TokenKind Token)
      PAGETIDE_OVERRIDE_SINCE_22 {
    return Token == AsmToken::LCurly;
  }

  bool PAGETIDE_MATCH_AND_EMIT(SMLoc, unsigned &, OperandVector &, MCStreamer &,
                               uint64_t &, bool) override {
    return false;
  }

  void convertToMapAndConstraints(unsigned, const OperandVector &) override {}

  ParseStatus parseDirective(AsmToken Directive) override {
    if (!target::isOwnDirective(Directive.getIdentifier(), Dialect))
      return ParseStatus::NoMatch;
    Parser.eatToEndOfStatement();
    return ParseStatus::Success;
  }

private:
  MCAsmParser &Parser;
  unsigned Dialect;
  bool UsesShadowBase = false;
};

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Emits nothing, and notes whether symbols are defined.
class SymbolRecorder : public MCStreamer {
public:
  explicit SymbolRecorder(MCContext &Context) : MCStreamer(Context) {}

  bool Defines = false;

  bool hasRawTextSupport() const override { return true; }
  void emitRawTextImpl(StringRef) override {}

  void emitLabel(MCSymbol *Symbol, SMLoc Loc) override {
    note(*Symbol);
    MCStreamer::emitLabel(Symbol, Loc);
  }
  void emitAssignment(MCSymbol *Symbol, const MCExpr *Value) override {
    note(*Symbol);
    MCStreamer::emitAssignment(Symbol, Value);
  }
  void emitConditionalAssignment(MCSymbol *Symbol, const MCExpr *) override {
    note(*Symbol);
  }
  void emitWeakReference(MCSymbol *Alias, const MCSymbol *) override {
    note(*Alias);
  }
  bool emitSymbolAttribute(MCSymbol *Symbol, MCSymbolAttr Attribute) override {
    if (Attribute != MCSA_Global && Attribute != MCSA_Weak &&
        Attribute != MCSA_Local)
      return true;
    // A weak symbol may not become a global one again.
    MCSymbolAttr &Before = Binding.try_emplace(Symbol, Attribute).first->second;
    Defines |= Before != Attribute;
    Before = Attribute;
    return true;
  }
  void emitELFSize(MCSymbol *Symbol, const MCExpr *) override { note(*Symbol); }
  void emitELFSymverDirective(const MCSymbol *Symbol, StringRef,
                              bool) override {
    note(*Symbol);
  }
  void emitCommonSymbol(MCSymbol *Symbol, uint64_t, Align) override {
    note(*Symbol);
  }
  void emitLocalCommonSymbol(MCSymbol *Symbol, uint64_t, Align) override {
    note(*Symbol);
  }
  void emitTBSSSymbol(MCSection *, MCSymbol *Symbol, uint64_t, Align) override {
    note(*Symbol);
  }
  void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {}

private:
  DenseMap<const MCSymbol *, MCSymbolAttr> Binding;

  void note(const MCSymbol &Symbol) { Defines |= !Symbol.isTemporary(); }
};

} // namespace

//===----------------------------------------------------------------------===//
// AsmTexts
//===----------------------------------------------------------------------===//

/// LLVM's parser, with the symbols and macros of all texts before.
class AsmTexts::Assembler {
public:
  Assembler(const Target &T, const compat::TargetName &Triple)
      : Registers(T.createMCRegInfo(Triple)),
        Info(T.createMCAsmInfo(*Registers, Triple, Options)),
        Subtarget(T.createMCSubtargetInfo(Triple, "", "")),
        Instructions(T.createMCInstrInfo()),
        Context(llvm::Triple(Triple), Info.get(), Registers.get(),
                Subtarget.get(), &Sources, &Options),
        ObjectFile(T.createMCObjectFileInfo(Context, /*PIC=*/true)),
        Streamer(Context) {
    Context.setObjectFileInfo(ObjectFile.get());
    Context.setDiagnosticHandler(
        [this](const SMDiagnostic &Said, bool, const SourceMgr &,
               std::vector<const MDNode *> &) { note(Said); });
    Sources.setDiagHandler(
        [](const SMDiagnostic &Said, void *Self) {
          static_cast<Assembler *>(Self)->note(Said);
        },
        this);
    T.createNullTargetStreamer(Streamer);
  }

  /// What a text was seen to do.
  struct Seen {
    bool Failed;
    bool Defines;
    bool UsesShadowBase;
  };

  Seen parse(StringRef Text, unsigned Dialect, bool IsInFunction) {
    Failed = false;
    Streamer.Defines = false;
    Streamer.switchSection(ObjectFile->getTextSection());
    // In a function directives about its frame are allowed.
    if (IsInFunction && !Streamer.hasUnfinishedDwarfFrameInfo())
      Streamer.emitCFIStartProc(/*IsSimple=*/false);
    unsigned Buffer = Sources.AddNewSourceBuffer(
        MemoryBuffer::getMemBufferCopy(Text), SMLoc());
    std::unique_ptr<MCAsmParser> Parser(
        createMCAsmParser(Sources, Context, Streamer, *Info, Buffer));
    AnyInstruction Any(*Parser, Options, *Subtarget, *Instructions, Dialect);
    Parser->setAssemblerDialect(Dialect);
    Parser->setTargetParser(Any);
    Parser->Run(/*NoInitialTextSection=*/true, /*NoFinalize=*/true);
    return {Failed, Streamer.Defines, Any.usesShadowBase()};
  }

private:
  void note(const SMDiagnostic &Said) {
    Failed |= Said.getKind() == SourceMgr::DK_Error;
  }

  SourceMgr Sources; ///< macros refer to the texts that define them
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> Info;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCInstrInfo> Instructions;
  MCContext Context;
  std::unique_ptr<MCObjectFileInfo> ObjectFile;
  SymbolRecorder Streamer;
  bool Failed = false;
};

AsmTexts::AsmTexts(Module &M) {
  SmallVector<const CallBase *> Calls;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->isInlineAsm())
        Calls.push_back(Call);
  if (Calls.empty() && M.getModuleInlineAsm().empty())
    return;
  std::string Error;
  const compat::TargetName Name = M.getTargetTriple();
  const Target *T = TargetRegistry::lookupTarget(Name, Error);
  if (!T || !T->hasMCAsmParser())
    return; // nothing is known of any text
  Parser = std::make_unique<Assembler>(*T, Name);

  ModuleUsesShadowBase = Parser
                             ->parse(M.getModuleInlineAsm(), /*Dialect=*/0,
                                     /*IsInFunction=*/false)
                             .UsesShadowBase;
  auto Parse = [&](const CallBase &Call, unsigned Copy) {
    const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
    return Parser->parse(textOf(Call, Copy), Asm->getDialect(),
                         /*IsInFunction=*/true);
  };
  unsigned Copy = 0;
  SmallVector<const CallBase *> Distinct;
  for (const CallBase *Call : Calls) {
    auto [Found, IsNew] = Known.try_emplace(textOf(*Call, 0));
    if (!IsNew)
      continue;
    Distinct.push_back(Call);
    Assembler::Seen Seen = Parse(*Call, ++Copy);
    Found->second = {!Seen.Failed, Seen.UsesShadowBase};
  }
  for (const CallBase *Call : Distinct) {
    Assembler::Seen Seen = Parse(*Call, ++Copy);
    Known[textOf(*Call, 0)].MayRepeat &= !Seen.Failed && !Seen.Defines;
  }
}

AsmTexts::~AsmTexts() = default;

bool AsmTexts::mayRepeat(const CallBase &Asm) const {
  return Known.lookup(textOf(Asm, 0)).MayRepeat;
}

bool AsmTexts::usesShadowBase(const CallBase &Asm) const {
  return Known.lookup(textOf(Asm, 0)).UsesShadowBase;
}

} // namespace pagetide
