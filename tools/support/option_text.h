//===- option_text.h - Reads the runtime's options ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

struct OptionText {
  std::string_view name;
  std::string_view value;   ///< without its quotes
  std::string_view written; ///< name=value as it was written
};

/// The options of PAGETIDE_OPTIONS, as the runtime reads them. Stops at what is
/// no option.
std::vector<OptionText> split_options(std::string_view options);

/// The value of an option. Of two with one name the later counts, as for the
/// runtime. Empty if there is none.
std::string option_in(std::string_view options, std::string_view name);

} // namespace pagetide::tools
