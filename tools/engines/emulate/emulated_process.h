//===- emulated_process.h - A process in QEMU, and its trace --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/emulate/marked_file.h"
#include "engines/outside_trace.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pagetide::tools {

/// What all processes of the run have in common.
struct EmulatedRunFacts {
  RunId run;
  std::uint64_t period_ns = 0;
  bool per_thread = false;
  std::string options; ///< as traces tell them
  std::string qemu;    ///< QEMU's file
};

class EmulatedProcess {
public:
  /// Makes its trace, if `output` is not null. Throws Failure.
  EmulatedProcess(pid_t pid, UniqueFd memory, const EmulatedRunFacts &facts,
                  TraceOutput *output);

  pid_t pid() const { return pid_; }
  /// Readable once the process has ended; -1 if it had ended before.
  int pidfd() const { return pidfd_.get(); }
  bool has_ended() const;

  /// Ends a period: writes what was marked in it.
  void boundary(unsigned flags, std::uint64_t overruns = 0);
  /// The process is about to exit, or to execute another program.
  void last_look() {
    boundary(trace::kPeriodFinal);
    looked_last_ = true;
  }
  /// The process goes on without QEMU.
  void left_qemu() {
    last_look();
    left_ = true;
  }

  /// Writes the rest, and the end. `exec`: another program has begun in this
  /// process. `detail`: how the process ended, if that is known.
  void finish(bool exec, std::uint64_t detail);
  /// Record ends before the process.
  void stop();

  /// Null if there is no output.
  const OutsideTrace *trace() const { return trace_.get(); }
  bool was_killed() const { return killed_; }

private:
  Mappings mappings() const;
  void write_threads(const std::vector<MarkedFile::Change> &changes);

  pid_t pid_;
  UniqueFd pidfd_;
  MarkedFile file_;
  std::string qemu_;
  std::unique_ptr<OutsideTrace> trace_;
  bool looked_last_ = false;
  bool left_ = false;
  bool killed_ = false;
  bool told_of_sharing_ = false;
};

} // namespace pagetide::tools
