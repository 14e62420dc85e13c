//===- pass_options.cpp - The pass's options, for the wrapper -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass_options.h"

#include "OptionTypes.h"

#include <cstddef>

namespace pagetide::wrapper {
namespace {

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

} // namespace

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

} // namespace pagetide::wrapper
