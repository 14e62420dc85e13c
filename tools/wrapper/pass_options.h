//===- pass_options.h - The pass's options, for the wrapper ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are declared in pass/PassOptions.def. Each option there is also an
// option of the wrapper, -fpagetide-NAME. The pass checks the values.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>
#include <vector>

namespace pagetide::wrapper {

struct PassOption {
  std::string name;    ///< as in -pagetide-NAME
  std::string values;  ///< "=..." for the help; empty if it is a switch
  std::string initial; ///< the default, in words
  std::string help;

  /// A switch stands alone, has =0 or =1, or is written -fno-pagetide-NAME.
  bool is_switch() const { return values.empty(); }
};

const std::vector<PassOption> &pass_options();

} // namespace pagetide::wrapper
