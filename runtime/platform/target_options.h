//===- target_options.h - Options of a program in the user's list ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// The options that `pagetide target` has registered for this program
/// (targets_file.h), with a trace_path of its own for this process. Null if
/// there are none. The arguments are the values of the variables
/// XDG_CONFIG_HOME and HOME; null: not set. Looks once. Without a list that
/// costs one system call.
const char *OptionsOfTarget(const char *config_home, const char *home);

/// The path of the list if OptionsOfTarget found one of another version; else
/// null.
const char *UnknownTargetList();

/// A program's entry in the list. The texts do not end in 0.
struct TargetEntry {
  const char *folder;
  uptr folder_bytes;
  const char *options;
  uptr options_bytes;
};

/// Finds the entry of a program. `text` is the file behind its first line.
/// Lines that are no entry are skipped.
bool FindTarget(const char *text, uptr bytes, const char *program,
                TargetEntry &entry);

} // namespace pagetide
