//===- outside_trace.h - The trace of a process that is watched -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime writes the trace of the process that it lives in. For engines
// that watch from outside, `pagetide record` writes it by this class.

#pragma once

#include "analysis/trace_files.h"
#include "support/unique_fd.h"
#include "trace/trace_writer.h"

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace pagetide::tools {

/// What a trace says at its beginning.
struct OutsideTraceStart {
  RunId run;
  pid_t pid = 0;
  pid_t parent = 0;
  Process process; ///< with engine and options
  abi::Layout layout = abi::Layout::kWrite;
  bool per_thread = false;
  std::uint64_t period_ns = 0;
  std::uint64_t time_ns = 0; ///< CLOCK_MONOTONIC; 0: now
};

/// One trace. It is written as its parts come, so that it holds all but the
/// end if this process is killed.
class OutsideTrace {
public:
  /// Makes FILE, FILE.<pid> or FILE.<pid>.<n> of the output, and replaces
  /// the traces of an earlier run. Throws Failure if that is impossible.
  OutsideTrace(TraceOutput &output, const OutsideTraceStart &start);
  OutsideTrace(const OutsideTrace &) = delete;

  const std::string &path() const { return path_; }
  std::uint64_t bytes() const { return sink_.bytes(); }
  /// Index of the period that is written next.
  std::uint64_t next_period() const { return next_; }

  /// Writes the list if it has changed.
  void mappings(Mappings now);
  void threads(const Threads &threads) { writer_.write(threads); }
  void note(trace::NoteCode code, std::string text);
  /// The next period ends at an instant at which no thread of the process ran.
  void cut(std::uint64_t time_ns, std::uint64_t pause_ns);
  /// Its index, its start and what concerns checksums are set here.
  void period(PeriodPart part);
  void end(trace::EndReason reason, std::uint64_t detail = 0);

private:
  class CountingSink : public FdSink {
  public:
    using FdSink::FdSink;
    void write(std::span<const std::uint8_t> bytes) override {
      FdSink::write(bytes);
      bytes_ += bytes.size();
    }
    std::uint64_t bytes() const { return bytes_; }

  private:
    std::uint64_t bytes_ = 0;
  };

  UniqueFd fd_; ///< locked while it is written
  std::string path_;
  CountingSink sink_;
  TraceWriter writer_;
  std::vector<Mapping> mappings_;
  std::uint64_t next_ = 0;
  std::uint64_t last_end_ns_ = 0;
};

} // namespace pagetide::tools
