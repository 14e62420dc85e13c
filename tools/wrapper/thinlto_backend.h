//===- thinlto_backend.h - The backend of a distributed ThinLTO -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -fthinlto-index= clang runs the backend of a ThinLTO link for one file.
// That backend loads no plugins. So it writes bitcode, and a second compilation
// marks that and generates the code.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>
#include <vector>

namespace pagetide::wrapper {

struct CommandLine;

/// Whether the command line is such a backend, which the pass must follow.
bool is_thinlto_backend(const CommandLine &line);

/// The arguments with which clang optimises the input into \p bitcode.
std::vector<std::string> optimizing_arguments(const CommandLine &line,
                                              const std::string &bitcode);

/// \p line, to go on from there.
CommandLine marking_line(const CommandLine &line, const std::string &bitcode);

} // namespace pagetide::wrapper
