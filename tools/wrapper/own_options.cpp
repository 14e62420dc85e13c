//===- own_options.cpp - The wrapper's own options ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "own_options.h"

#include "OptionTypes.h"
#include "support/edit_distance.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace pagetide::wrapper {

namespace {

/// An option of pass/PassOptions.def, which is one of the wrapper too:
/// -fpagetide-NAME. The pass checks the values.
struct PassOption {
  std::string name;    ///< as in -pagetide-NAME
  std::string values;  ///< "=..." for the help; empty if it is a switch
  std::string initial; ///< the default, in words
  std::string help;

  /// A switch stands alone, has =0 or =1, or is written -fno-pagetide-NAME.
  bool is_switch() const { return values.empty(); }
};

template <typename T>
PassOption choice(const char *name, T initial, const char *help) {
  std::string values;
  for (const char *value : choiceNames<T>())
    values += (values.empty() ? "=" : "|") + std::string(value);
  return {name, values, choiceNames<T>()[static_cast<std::size_t>(initial)],
          help};
}

PassOption number(const char *name, unsigned initial, unsigned least,
                  unsigned most, const char *help) {
  return {name, "=" + std::to_string(least) + ".." + std::to_string(most),
          std::to_string(initial), help};
}

PassOption text(const char *name, const std::string &initial,
                const char *help) {
  return {name, "=TEXT", initial.empty() ? "none" : initial, help};
}

const std::vector<PassOption> &pass_options() {
  static const std::vector<PassOption> kOptions = {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help)                      \
  choice<Type>(Name, Default, Help),
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  number(Name, Default, Min, Max, Help),
#define PAGETIDE_SWITCH(Field, Name, Default, Help)                            \
  {Name, "", (Default) ? "on" : "off", Help},
#define PAGETIDE_TEXT(Field, Name, Default, Help) text(Name, Default, Help),
#include "PassOptions.def"
  };
  return kOptions;
}

constexpr std::string_view kPrefix = "-fpagetide-";
constexpr std::string_view kNegativePrefix = "-fno-pagetide-";

struct Switch {
  const char *name; ///< as on the command line
  const char *help;
  void (*apply)(OwnOptions &own);
};

constexpr Switch kSwitches[] = {
    {"-fno-pagetide",
     "compile without marks, link without the runtime: plain clang",
     [](OwnOptions &own) { own.instrument = false; }},
    {"-fpagetide", "the opposite, and the default; the last one counts",
     [](OwnOptions &own) { own.instrument = true; }},
    {"-fno-pagetide-rpath",
     "do not put the runtime's directory into the program's run path",
     [](OwnOptions &own) { own.rpath = false; }},
    {"-fpagetide-rpath", "the opposite, and the default",
     [](OwnOptions &own) { own.rpath = true; }},
    {"-fno-pagetide-std-string",
     "before C++20, use the members of std::string that are in libstdc++; "
     "their accesses have no marks",
     [](OwnOptions &own) { own.std_string = false; }},
    {"-fpagetide-std-string",
     "compile these members into the program, with marks; the default",
     [](OwnOptions &own) { own.std_string = true; }},
    {"-fpagetide-help",
     "print these options, and the places of clang, pass and runtime",
     [](OwnOptions &own) { own.help = true; }},
};

std::string suggestion(std::string_view given) {
  std::string best;
  std::size_t best_distance = given.size();
  auto consider = [&](std::string candidate) {
    const std::size_t distance = tools::edit_distance(given, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::move(candidate);
    }
  };
  for (const Switch &s : kSwitches)
    consider(s.name);
  for (const PassOption &option : pass_options()) {
    consider(std::string(kPrefix) + option.name);
    if (option.is_switch())
      consider(std::string(kNegativePrefix) + option.name);
  }
  return best;
}

} // namespace

bool is_own(std::string_view arg) {
  return arg.starts_with("-fpagetide") || arg.starts_with("-fno-pagetide");
}

void parse_own(const std::string &arg, OwnOptions &own) {
  for (const Switch &s : kSwitches) {
    if (arg == s.name) {
      s.apply(own);
      return;
    }
  }
  const std::size_t equals = arg.find('=');
  const std::string name = arg.substr(0, equals);
  for (const PassOption &option : pass_options()) {
    const bool is_negative =
        option.is_switch() && arg == std::string(kNegativePrefix) + option.name;
    if (!is_negative && name != std::string(kPrefix) + option.name)
      continue;
    if (equals == std::string::npos && !option.is_switch())
      own.errors.push_back(name + " needs a value: " + name + option.values +
                           ", " + option.help);
    // Keep only the last one: the pass accepts each of its options once.
    const std::string pass_name = "-pagetide-" + option.name;
    std::erase_if(own.pass_options, [&](const std::string &earlier) {
      return earlier.substr(0, earlier.find('=')) == pass_name;
    });
    own.pass_options.push_back(
        is_negative ? pass_name + "=0" : "-" + arg.substr(std::strlen("-f")));
    return;
  }
  own.errors.push_back("unknown option '" + name + "'; did you mean '" +
                       suggestion(name) + "'? -fpagetide-help lists all");
}

std::string options_help() {
  std::string text;
  for (const PassOption &option : pass_options()) {
    text += "  " + std::string(kPrefix) + option.name + option.values;
    if (option.is_switch())
      text += "[=1], " + std::string(kNegativePrefix) + option.name + " (=0)";
    if (!option.initial.empty())
      text += "  (default: " + option.initial + ")";
    text += "\n      " + option.help + "\n";
  }
  for (const Switch &s : kSwitches)
    text += std::string("  ") + s.name + "\n      " + s.help + "\n";
  return text;
}

} // namespace pagetide::wrapper
