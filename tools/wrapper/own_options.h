//===- own_options.h - The wrapper's own options ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pagetide::wrapper {

/// What Pagetide's own options ask for.
struct OwnOptions {
  bool instrument = true; ///< -fpagetide or -fno-pagetide, the last one
  bool rpath = true;      ///< -fpagetide-rpath or -fno-pagetide-rpath
  bool std_string = true; ///< -fpagetide-std-string or its opposite
  bool help = false;      ///< -fpagetide-help
  std::vector<std::string> pass_options; ///< for the pass: -pagetide-...
  std::vector<std::string> errors;
};

/// Whether the option is one of Pagetide's.
bool is_own(std::string_view arg);

/// Notes in \p own what such an option asks for, or what is wrong with it.
void parse_own(const std::string &arg, OwnOptions &own);

/// The text of -fpagetide-help, without the places of the parts.
std::string options_help();

} // namespace pagetide::wrapper
