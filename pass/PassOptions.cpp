//===- PassOptions.cpp - How the pass was asked to work -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PassOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm;

namespace pagetide {
namespace {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Error wrong(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// The candidate that \p Text most likely means, or "".
StringRef closest(StringRef Text, ArrayRef<StringRef> Candidates) {
  StringRef Best;
  unsigned BestDistance = std::numeric_limits<unsigned>::max();
  for (StringRef Candidate : Candidates) {
    unsigned Distance = Text.edit_distance(Candidate);
    if (Distance < BestDistance) {
      BestDistance = Distance;
      Best = Candidate;
    }
  }
  return BestDistance <= std::max<size_t>(2, Best.size() / 2) ? Best : "";
}

template <typename T>
Error parseChoice(StringRef Name, StringRef Value, T &Field) {
  SmallVector<StringRef> Names;
  for (auto [Index, Choice] : enumerate(choiceNames<T>())) {
    if (Value == Choice) {
      Field = static_cast<T>(Index);
      return Error::success();
    }
    Names.push_back(Choice);
  }
  StringRef Meant = closest(Value, Names);
  return wrong("'" + Value + "' is not a value of the option '" + Name +
               "'; give one of " + join(Names, ", ") +
               (Meant.empty() ? "" : " (did you mean '" + Meant.str() + "'?)"));
}

Error parseNumber(StringRef Name, StringRef Value, unsigned Min, unsigned Max,
                  unsigned &Field) {
  unsigned Number;
  if (Value.getAsInteger(10, Number) || Number < Min || Number > Max)
    return wrong("'" + Value + "' is not a value of the option '" + Name +
                 "'; give a number from " + Twine(Min) + " to " + Twine(Max));
  Field = Number;
  return Error::success();
}

Error parseSwitch(StringRef Name, StringRef Value, bool &Field) {
  if (!Value.empty() && Value != "0" && Value != "1")
    return wrong("'" + Value + "' is not a value of the option '" + Name +
                 "'; give 0 or 1, or the name alone for 1");
  Field = Value != "0";
  return Error::success();
}

Error parseText(StringRef Name, StringRef Value, std::string &Field) {
  if (Value.contains(';')) // optionsFromParameters() could not read it back
    return wrong("'" + Value + "' is not a value of the option '" + Name +
                 "'; give one without a semicolon");
  Field = Value.str();
  return Error::success();
}

/// Sets the option \p Name of \p Options.
Error setOption(PassOptions &Options, StringRef Name, StringRef Value) {
#define PAGETIDE_CHOICE(Field, OptionName, Type, Default, Help)                \
  if (Name == OptionName) {                                                    \
    Options.Given.Field = true;                                                \
    return parseChoice(Name, Value, Options.Field);                            \
  }
#define PAGETIDE_NUMBER(Field, OptionName, Default, Min, Max, Help)            \
  if (Name == OptionName) {                                                    \
    Options.Given.Field = true;                                                \
    return parseNumber(Name, Value, Min, Max, Options.Field);                  \
  }
#define PAGETIDE_SWITCH(Field, OptionName, Default, Help)                      \
  if (Name == OptionName) {                                                    \
    Options.Given.Field = true;                                                \
    return parseSwitch(Name, Value, Options.Field);                            \
  }
#define PAGETIDE_TEXT(Field, OptionName, Default, Help)                        \
  if (Name == OptionName) {                                                    \
    Options.Given.Field = true;                                                \
    return parseText(Name, Value, Options.Field);                              \
  }
#define PAGETIDE_ABLATION(Field, OptionName, Help)                             \
  if (Name == OptionName)                                                      \
    return parseSwitch(Name, Value, Options.Field);
#include "PassOptions.def"

  const SmallVector<StringRef> Names = {
#define PAGETIDE_CHOICE(Field, OptionName, Type, Default, Help) OptionName,
#define PAGETIDE_NUMBER(Field, OptionName, Default, Min, Max, Help) OptionName,
#define PAGETIDE_SWITCH(Field, OptionName, Default, Help) OptionName,
#define PAGETIDE_TEXT(Field, OptionName, Default, Help) OptionName,
#include "PassOptions.def"
  };
  StringRef Meant = closest(Name, Names);
  return wrong("there is no option '" + Name + "'; there are " +
               join(Names, ", ") +
               (Meant.empty() ? "" : " (did you mean '" + Meant.str() + "'?)"));
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

cl::OptionCategory Category("Pagetide (marks on memory accesses)");

/// Keeps an option's text and checks it while the command line is parsed. So
/// the compiler's own message names the wrong argument.
class CheckedParser : public cl::parser<std::string> {
public:
  using cl::parser<std::string>::parser;
  bool parse(cl::Option &Option, StringRef Argument, StringRef Value,
             std::string &Text) {
    PassOptions Scratch;
    if (Error E =
            setOption(Scratch, Argument.drop_front(strlen("pagetide-")), Value))
      return Option.error(toString(std::move(E)));
    Text = Value.str();
    return false;
  }
};

#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  cl::opt<std::string, false, CheckedParser> Cl##Field(                        \
      "pagetide-" Name, cl::desc(Help), cl::cat(Category));
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  cl::opt<std::string, false, CheckedParser> Cl##Field(                        \
      "pagetide-" Name, cl::desc(Help), cl::cat(Category));
#define PAGETIDE_SWITCH(Field, Name, Default, Help)                            \
  cl::opt<std::string, false, CheckedParser> Cl##Field(                        \
      "pagetide-" Name, cl::desc(Help), cl::cat(Category), cl::ValueOptional);
#define PAGETIDE_TEXT(Field, Name, Default, Help)                              \
  cl::opt<std::string, false, CheckedParser> Cl##Field(                        \
      "pagetide-" Name, cl::desc(Help), cl::cat(Category));
#define PAGETIDE_ABLATION(Field, Name, Help)                                   \
  cl::opt<std::string, false, CheckedParser> Cl##Field(                        \
      "pagetide-" Name, cl::desc(Help), cl::cat(Category), cl::ValueOptional,  \
      cl::Hidden);
#include "PassOptions.def"

/// Sets an option that was checked when the command line was parsed.
void setFromCommandLine(PassOptions &Options, StringRef Name,
                        const cl::opt<std::string, false, CheckedParser> &Opt) {
  if (Opt.getNumOccurrences())
    cantFail(setOption(Options, Name, Opt));
}

} // namespace

PassOptions optionsFromCommandLine() {
  PassOptions Options;
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  setFromCommandLine(Options, Name, Cl##Field);
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  setFromCommandLine(Options, Name, Cl##Field);
#define PAGETIDE_SWITCH(Field, Name, Default, Help)                            \
  setFromCommandLine(Options, Name, Cl##Field);
#define PAGETIDE_TEXT(Field, Name, Default, Help)                              \
  setFromCommandLine(Options, Name, Cl##Field);
#define PAGETIDE_ABLATION(Field, Name, Help)                                   \
  setFromCommandLine(Options, Name, Cl##Field);
#include "PassOptions.def"
  return Options;
}

Expected<PassOptions> optionsFromParameters(StringRef Parameters,
                                            PassOptions Options) {
  while (!Parameters.empty()) {
    StringRef Parameter;
    std::tie(Parameter, Parameters) = Parameters.split(';');
    auto [Name, Value] = Parameter.split('=');
    if (Error E = setOption(Options, Name, Value))
      return std::move(E);
  }
  return Options;
}

std::string optionsHelp() {
  std::string Text;
  raw_string_ostream Out(Text);
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  Out << "  " Name "=" << join(choiceNames<Type>(), "|") << "  (default "      \
      << choiceNames<Type>()[static_cast<uint32_t>(Default)] << ")\n      "    \
      << Help "\n";
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  Out << "  " Name "=" << (Min) << ".." << (Max) << "  (default " << (Default) \
      << ")\n      " << Help "\n";
#define PAGETIDE_SWITCH(Field, Name, Default, Help)                            \
  Out << "  " Name "=0|1  (default " << (Default) << ")\n      " << Help "\n";
#define PAGETIDE_TEXT(Field, Name, Default, Help)                              \
  Out << "  " Name "=TEXT  (default '" << (Default) << "')\n      "            \
      << Help "\n";
#include "PassOptions.def"
  return Text;
}

abi::ModuleInfo PassOptions::moduleInfo() const {
  return {abi::kVersion, static_cast<uint32_t>(Layout), cellShift(), Granule,
          (SkipConstants ? abi::kModuleSkipsConstants : 0U) |
              (Mode != DemandMode::Always ? abi::kModuleOnDemand : 0U) |
              (Mode == DemandMode::Windows ? abi::kModuleWindows : 0U)};
}

std::string PassOptions::describe() const {
  std::string Text;
  raw_string_ostream Out(Text);
  ListSeparator Separator(";");
  auto Say = [&](StringRef Name, const auto &Value) {
    if (Name != "lto" && Name != "warn-inline-asm")
      Out << Separator << Name << '=' << Value;
  };
  PassOptions Resolved = *this;
  Resolved.Precision = isNear() ? MarkPrecision::Near : MarkPrecision::Exact;
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  Say(Name, choiceNames<Type>()[static_cast<uint32_t>(Resolved.Field)]);
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help) Say(Name, Field);
#define PAGETIDE_SWITCH(Field, Name, Default, Help) Say(Name, unsigned(Field));
#define PAGETIDE_TEXT(Field, Name, Default, Help)                              \
  if (!Field.empty())                                                          \
    Say(Name, Field);
#include "PassOptions.def"
  return Text;
}

bool PassOptions::contradict(const PassOptions &Others) const {
  bool Result = false;
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  Result |= Given.Field && Field != Others.Field;
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  Result |= Given.Field && Field != Others.Field;
#define PAGETIDE_SWITCH(Field, Name, Default, Help)                            \
  Result |= StringRef(Name) != "warn-inline-asm" && Given.Field &&             \
            Field != Others.Field;
#define PAGETIDE_TEXT(Field, Name, Default, Help)                              \
  Result |= Given.Field && Field != Others.Field;
#include "PassOptions.def"
  return Result;
}

void PassOptions::takeLocal(const PassOptions &Others) {
  WarnInlineAsm = Others.WarnInlineAsm;
#define PAGETIDE_ABLATION(Field, Name, Help) Field = Others.Field;
#include "PassOptions.def"
}

void PassOptions::takeUngiven(const abi::ModuleInfo &Marked) {
  if (!Given.Layout)
    Layout = static_cast<abi::Layout>(Marked.layout);
  if (!Given.Granule)
    Granule = Marked.granule_shift;
  if (!Given.Precision)
    Precision = Marked.cell_shift == Marked.granule_shift ? MarkPrecision::Exact
                                                          : MarkPrecision::Near;
  if (!Given.SkipConstants)
    SkipConstants = Marked.flags & abi::kModuleSkipsConstants;
  if (!Given.Mode)
    Mode = Marked.flags & abi::kModuleWindows    ? DemandMode::Windows
           : Marked.flags & abi::kModuleOnDemand ? DemandMode::OnDemand
                                                 : DemandMode::Always;
}

} // namespace pagetide
