//===- targets_file.h - Programs that record by themselves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pagetide target` writes the user's list of programs. Each instrumented
// process that starts without options looks for its program there.
//
// The file is $XDG_CONFIG_HOME/pagetide/targets. If that variable is not an
// absolute path, it is $HOME/.config/pagetide/targets. It counts only if it
// belongs to the process's user, and nobody else may write to it.
//
//   file   := kFirstLine target*
//   target := program TAB folder TAB options LF
//
// `program` is the last part of the path of the program's file. `folder` is
// the absolute path of the folder for its traces. `options` are written as in
// PAGETIDE_OPTIONS. None of them has a tab or a line feed. `program` and
// `folder` together have one kind of quote (' or ") at most.

#ifndef PAGETIDE_TARGETS_FILE_H
#define PAGETIDE_TARGETS_FILE_H

#include <cstdint>

namespace pagetide::targets_file {

/// Another version has another number. The runtime and the tools refuse it.
inline constexpr char kFirstLine[] = "pagetide targets 1\n";

inline constexpr char kBelowConfig[] = "/pagetide/targets";
inline constexpr char kBelowHome[] = "/.config/pagetide/targets";

/// The runtime reads no larger file.
inline constexpr std::uint32_t kMaxBytes = 65536;

} // namespace pagetide::targets_file

#endif // PAGETIDE_TARGETS_FILE_H
