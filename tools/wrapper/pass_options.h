//===- pass_options.h - The pass's options, for the wrapper ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are declared in pass/PassOptions.def: an option added there is an option
// of the wrapper, -fpagetide-NAME, without a further line. Their values are
// checked by the pass, which knows them.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_PASS_OPTIONS_H
#define PAGETIDE_WRAPPER_PASS_OPTIONS_H

#include <span>

namespace pagetide::wrapper {

struct PassOption {
  const char *name;   ///< as in -pagetide-NAME
  const char *values; ///< "=..." for the help; empty where it may stand alone
  const char *help;

  bool may_stand_alone() const { return *values == 0; }
};

std::span<const PassOption> pass_options();

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_PASS_OPTIONS_H
