//===- child_process.h - Runs the command of pagetide record --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_CHILD_PROCESS_H
#define PAGETIDE_TOOLS_RECORD_CHILD_PROCESS_H

#include "support/unique_fd.h"

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// How a process ended.
struct ExitStatus {
  int code = 0;   ///< where signal is 0
  int signal = 0; ///< that killed it

  /// The detail of the End frame that says so.
  std::uint64_t end_detail() const {
    return signal != 0 ? 256u + static_cast<unsigned>(signal)
                       : static_cast<unsigned>(code);
  }
};

/// The command, a child of this process. While the object lives, the terminal's
/// SIGINT and SIGQUIT are left to the command, and SIGTERM and SIGHUP are
/// passed on to it. If a process of the run outlives its parent, this process
/// adopts it (PR_SET_CHILD_SUBREAPER): the run stays one tree, in which each
/// process finds the options of the run by its ancestors (published_options.h).
class ChildProcess {
public:
  /// Starts command[0], looked up in PATH, with `variable` set in its
  /// environment to what value_for(its pid) returns, and with file_limit as its
  /// RLIMIT_NOFILE. If that is impossible, start_error() says why (an errno).
  /// What value_for throws comes out of here; then no command was started.
  ChildProcess(const std::vector<std::string> &command,
               const std::string &variable,
               const std::function<std::string(pid_t)> &value_for,
               const struct rlimit &file_limit);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;

  int start_error() const { return start_error_; }
  pid_t pid() const { return pid_; }
  /// Readable when handle_signals() has something to do.
  int signal_fd() const { return signals_.get(); }
  void handle_signals();
  /// Set once the child has ended.
  const std::optional<ExitStatus> &exit_status() const { return exit_status_; }

private:
  struct SavedState;

  pid_t pid_ = -1;
  int start_error_ = 0;
  UniqueFd signals_;
  std::optional<ExitStatus> exit_status_;
  std::unique_ptr<SavedState> saved_;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_CHILD_PROCESS_H
