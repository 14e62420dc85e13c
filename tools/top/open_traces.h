//===- open_traces.h - Which traces running processes write ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's threads have descriptors of their own, apart from the
// program's. The thread that writes the trace has the trace open, whoever began
// the recording, and whatever the file is called. So /proc tells which process
// writes which trace, and the process is not disturbed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "support/unique_fd.h"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// A trace that a process writes.
struct OpenTrace {
  UniqueFd fd;      ///< open for reading
  std::string path; ///< as the kernel names it
  dev_t device = 0;
  ino_t inode = 0;

  bool is_same_file(const OpenTrace &other) const {
    return device == other.device && inode == other.inode;
  }
};

/// The processes of the user, by rising numbers.
std::vector<pid_t> processes_of(uid_t user);

/// The trace that the process writes. Nothing if it writes none, or if /proc
/// does not tell us.
std::optional<OpenTrace> open_trace_of(pid_t pid);

} // namespace pagetide::tools
