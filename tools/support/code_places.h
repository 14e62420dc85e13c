//===- code_places.h - The source of an address in a program's file -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace pagetide::tools {

/// What is known of an instruction. Empty or 0: not known.
struct CodePlace {
  std::string function; ///< linkage name
  std::string file;
  std::uint64_t line = 0;
};

/// The place of the call that returns to an offset in a program's or library's
/// file.
using CodeLookup =
    std::function<CodePlace(const std::string &path, std::uint64_t offset)>;

/// Looks into the files' symbol tables and debug information (libdw).
CodeLookup read_code_places();

} // namespace pagetide::tools
