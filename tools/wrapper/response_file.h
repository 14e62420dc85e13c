//===- response_file.h - @FILE arguments, as clang expands them -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <vector>

namespace pagetide::wrapper {

/// Replaces every @FILE by the arguments in the file, also in nested files. If
/// a file cannot be read or names itself, @FILE stays as it is: clang then says
/// what is wrong.
std::vector<std::string>
expand_response_files(const std::vector<std::string> &args);

/// The arguments that configuration files of clang's (--config) stand for. A
/// name without a directory is looked for in \p directories. What cannot be
/// read is left out: clang then says what is wrong.
std::vector<std::string>
read_config_files(const std::vector<std::string> &files,
                  const std::vector<std::string> &directories);

} // namespace pagetide::wrapper
