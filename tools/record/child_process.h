//===- child_process.h - Runs the command of pagetide record --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <signal.h>
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
  int code = 0;   ///< exit status, if no signal killed it
  int signal = 0; ///< that killed it, or 0

  /// As the End frame of a trace stores it.
  std::uint64_t end_detail() const {
    return signal != 0 ? 256u + static_cast<unsigned>(signal)
                       : static_cast<unsigned>(code);
  }
};

/// While it lives, SIGPIPE does not end this process: messages that nobody
/// reads
/// (`record ... 2>&1 | grep -q X`) are no reason to leave the run alone.
class QuietPipes {
public:
  QuietPipes();
  ~QuietPipes() { restore(); }
  QuietPipes(const QuietPipes &) = delete;
  /// For the command, which gets the signal's action as it was.
  void restore() const { ::sigaction(SIGPIPE, &before_, nullptr); }

private:
  struct sigaction before_ = {};
};

/// The command, a child of this process. While the object lives, this process
/// ignores the terminal's SIGINT and SIGQUIT, which the command gets itself. It
/// passes SIGTERM and SIGHUP on to the command.
///
/// If a process of the run outlives its parent, this process adopts it
/// (PR_SET_CHILD_SUBREAPER). So the run stays one tree, in which each process
/// finds the options of the run by its ancestors (published_options.h).
class ChildProcess {
public:
  /// Starts command[0], looked up in PATH. Its environment has `variable` with
  /// this value. If it cannot be started, start_error() is the errno, and pid()
  /// is -1. The child calls `before_exec` with this process's memory, and is
  /// not executed if that returns an errno. Without a variable the environment
  /// is as it was.
  ChildProcess(const std::vector<std::string> &command,
               const std::string &variable, const std::string &value,
               const QuietPipes &pipes,
               const std::function<int()> &before_exec = {});
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

/// While it lives, the kernel gives a program that a new child executes the
/// same addresses in each run. Its own children inherit that. The calling
/// process keeps its addresses.
class FixedAddresses {
public:
  /// Throws Failure if the kernel refuses.
  FixedAddresses();
  ~FixedAddresses();
  FixedAddresses(const FixedAddresses &) = delete;

private:
  int before_; ///< the personality of this process
};

} // namespace pagetide::tools
