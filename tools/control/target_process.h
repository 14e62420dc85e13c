//===- target_process.h - The process that pagetide ctl reaches -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// What /proc/PID/status says.
struct ProcessStatus {
  std::string name; ///< at most 15 bytes
  char state = 0;
  pid_t process = 0; ///< PID, unless that is another thread of it
  std::uint64_t threads = 0;
  uid_t real_user = 0;
  uid_t effective_user = 0;
  gid_t effective_group = 0;
  std::uint64_t caught = 0;  ///< bit N - 1: signal N has a handler
  std::uint64_t blocked = 0; ///< by this thread, likewise

  bool has_ended() const { return state == 'Z' || state == 'X'; }
  bool catches(int signal) const { return caught >> (signal - 1) & 1; }
  bool blocks(int signal) const { return blocked >> (signal - 1) & 1; }
};
/// Returns nothing if a field is missing or malformed.
std::optional<ProcessStatus> read_process_status(std::string_view text);

/// What the address of a process's marker tells (pagetide/control.h).
struct ControlMarker {
  std::uint32_t version;
  int signal;
};

/// What /proc/PID/maps says of Pagetide.
struct ControlMaps {
  bool has_runtime = false; ///< libpagetide.so
  bool has_shadow = false;  ///< marks are on
  /// If there are several, one of our version.
  std::optional<ControlMarker> marker;
};
ControlMaps read_control_maps(std::string_view text);

/// The number of a process that the user gives. Throws Failure if it is none.
pid_t pid_of(const std::string &text);

/// A process that was looked at. It has the same meaning when its number is
/// used again.
class TargetProcess {
public:
  /// Throws Failure if there is no such process, or if it is not for this user
  /// to reach, or has no libpagetide.
  explicit TargetProcess(pid_t pid);

  pid_t pid() const { return pid_; }
  /// Readable from the process's end on.
  int pidfd() const { return pidfd_.get(); }
  /// The file name of its program.
  const std::string &program() const { return program_; }
  /// "process 12 (prog)".
  std::string text() const;
  uid_t user() const { return status_.effective_user; }
  gid_t group() const { return status_.effective_group; }
  bool has_marks() const { return maps_.has_shadow; }
  /// By a signal or a debugger.
  bool is_stopped() const {
    return status_.state == 'T' || status_.state == 't';
  }

  /// Why no request reaches it; empty if one does.
  std::string why_unreachable() const;

  /// The signal of its marker. why_unreachable() must be empty, here and below.
  int signal() const { return maps_.marker->signal; }
  /// Whether none of its threads lets that signal in.
  bool blocks_signal() const;

  /// Sends that signal, with a value. Throws Failure if that is
  /// impossible.
  void send_signal(int value) const;

private:
  pid_t pid_;
  UniqueFd pidfd_;
  std::string program_;
  ProcessStatus status_;
  ControlMaps maps_;
};

/// Why the caller may not reach a process of that status; empty if it may.
std::string why_not_allowed(const ProcessStatus &status, uid_t caller);

/// Why no request reaches a process that has libpagetide; empty if one does.
std::string why_unreachable(const ProcessStatus &status,
                            const ControlMaps &maps);

} // namespace pagetide::tools
