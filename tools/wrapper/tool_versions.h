//===- tool_versions.h - Can this clang, this lld load the pass? -*- C++ -*-==//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_TOOL_VERSIONS_H
#define PAGETIDE_WRAPPER_TOOL_VERSIONS_H

#include <string>

namespace pagetide::wrapper {

struct CommandLine;

/// Asks a compiler for its version, which takes as long as starting it. Returns
/// why the pass cannot be loaded into it, or an empty string. A program that
/// cannot be started gets an empty string too: running it says why.
std::string why_not_usable(const std::string &compiler);

/// The major version of the lld with which \p clang would link; empty if it
/// cannot be told. \p is_default: \p clang is the one that Pagetide was built
/// with. The lld beside that one is not asked.
std::string lld_major(const CommandLine &line, const std::string &clang,
                      bool is_default);

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_TOOL_VERSIONS_H
