//===- trace_folder.h - A bound on the traces of a folder -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// As CreateTraceFile. Before that, removes the oldest traces from the folder
/// of `path` until at most keep - 1 are left. Removes no trace that is being
/// written, and nothing that does not begin as a trace. Returns EBUSY if too
/// many are being written.
int CreateTraceInFolder(const char *path, u64 keep, char *taken, int *fd);

} // namespace pagetide
