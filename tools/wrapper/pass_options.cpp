//===- pass_options.cpp - The pass's options, for the wrapper -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass_options.h"

namespace pagetide::wrapper {

std::span<const PassOption> pass_options() {
  static constexpr PassOption options[] = {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help) {Name, "=WORD", Help},
#define PAGETIDE_NUMBER(Field, Name, Default, Least, Most, Help)               \
  {Name, "=NUMBER", Help},
#define PAGETIDE_SWITCH(Field, Name, Default, Help) {Name, "", Help},
#define PAGETIDE_TEXT(Field, Name, Default, Help) {Name, "=TEXT", Help},
#include "PassOptions.def"
  };
  return options;
}

} // namespace pagetide::wrapper
