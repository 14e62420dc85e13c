//===- tool_versions.h - Which plugin can clang, lld load? -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <optional>
#include <string>

namespace pagetide::wrapper {

struct CommandLine;

/// The plugin in \p lib for LLVM \p major, which need not exist.
std::string plugin_of(const std::string &lib, const std::string &major);

/// The plugins in \p lib, in words: "there is a pass for 19 and 22".
std::string plugins_in(const std::string &lib);

/// A kind of compiler that the wrapper can run.
struct CompilerKind {
  const char *name;     ///< also what --version calls it
  const char *variable; ///< of the environment: it names another one to run
  const char *file;     ///< beside the clang that Pagetide was built with
  const char *on_path;  ///< what it is called elsewhere
  const char *package;  ///< of Debian
};
extern const CompilerKind kClang;
extern const CompilerKind kFlang;

/// What a compiler says of itself.
struct CompilerVersion {
  std::string line;  ///< the first line of --version
  std::string major; ///< empty if it is of another kind
};

/// Asks a compiler for its version, which takes as long as starting it. Nothing
/// if it cannot be started: running it says why.
std::optional<CompilerVersion> compiler_version(const CompilerKind &kind,
                                                const std::string &compiler);

/// Why no plugin in \p lib can be loaded into that compiler.
std::string why_not_usable(const CompilerKind &kind,
                           const std::string &compiler,
                           const CompilerVersion &version,
                           const std::string &lib);

/// The major version of the lld with which \p clang would link; empty if it
/// cannot be told. \p is_default: \p clang is the one that Pagetide was built
/// with. The lld beside that one is not asked.
std::string lld_major(const CommandLine &line, const std::string &clang,
                      bool is_default);

} // namespace pagetide::wrapper
