//===- completion.h - Completions for shells, from the command table ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>

namespace pagetide::tools {

std::string bash_completion();
std::string zsh_completion();

} // namespace pagetide::tools
