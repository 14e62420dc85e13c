//===- path_errors.h - What an error says of a call's path ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <errno.h>

namespace pagetide {

constexpr unsigned long kMaxPathBytes = 4096; // PATH_MAX

/// Whether a call that was refused for this reason has looked for its file, and
/// so has read its path. Otherwise it has perhaps looked at other arguments.
inline bool HasLookedForFile(int error) {
  switch (error) {
  case EACCES:
  case EEXIST:
  case EISDIR:
  case ELOOP:
  case ENOENT:
  case ENOTDIR:
    return true;
  default:
    return false;
  }
}

} // namespace pagetide
