//===- live_processes.h - The processes that are being recorded -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"
#include "top/live_trace.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
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

/// A recording of a process. A process that calls exec, or is recorded again,
/// has another one.
struct LiveProcess {
  pid_t pid = 0;
  OpenTrace file; ///< its descriptor belongs to `trace`
  std::unique_ptr<LiveTrace> trace;
  LiveFigures figures;
  bool is_read = false; ///< all that the file has
  bool is_stopped = false;
  bool is_gone = false;   ///< the process writes this trace no more
  bool has_ended = false; ///< nor does anybody else
  std::chrono::steady_clock::time_point gone_at;
  std::string problem; ///< why the trace cannot be read any further

  /// "running", "stopped", "reading 40 %", "exit", "SIGKILL" and so on.
  std::string state() const;
};

/// Finds the processes of this user that write traces, and follows these.
class LiveProcesses {
public:
  using Clock = std::chrono::steady_clock;

  /// `only`: a process, of whichever user. Otherwise all of this user.
  explicit LiveProcesses(std::optional<pid_t> only = {}) : only_(only) {}

  /// Looks for processes, and reads for at most so long.
  void refresh(std::chrono::milliseconds patience);
  /// The same, until all has been read.
  void refresh() { refresh(std::chrono::hours(24)); }

  /// Processes that run, and those that ended lately.
  const std::vector<std::unique_ptr<LiveProcess>> &all() const { return all_; }
  /// How many are not followed, because there are too many.
  std::size_t left_out() const { return left_out_; }
  /// Why traces cannot be read that processes write now.
  const std::vector<std::string> &problems() const { return problems_; }
  /// This one stays, also long after its end.
  void keep(const LiveProcess *process) { kept_ = process; }

private:
  void look_for_processes(Clock::time_point now);
  /// Null if there are too many, or if the trace cannot be read.
  const LiveProcess *add(pid_t pid, OpenTrace file);
  void forget_ended(Clock::time_point now);

  std::optional<pid_t> only_;
  std::vector<std::unique_ptr<LiveProcess>> all_;
  std::size_t left_out_ = 0;
  std::vector<std::string> problems_;
  const LiveProcess *kept_ = nullptr;
};

} // namespace pagetide::tools
