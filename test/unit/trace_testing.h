//===- trace_testing.h - Reads traces in tests ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

#include <map>
#include <string>
#include <vector>

namespace pagetide::tools {

/// A reader of bytes in memory, which must outlive it.
TraceReader reader_of(std::span<const std::uint8_t> bytes);

/// What a trace says, as far as it can be read.
struct WholeTrace {
  std::vector<Frame> frames;
  Completeness completeness;
  Integrity integrity = Integrity::kComplete;
  std::uint64_t stop_offset = 0;
  std::string stop_reason;
};
WholeTrace read_all(TraceReader reader);
WholeTrace read_all(std::span<const std::uint8_t> bytes);

/// A period put together from its parts: the runs of each thread, joined where
/// the cut between two parts parted them. Only periods of which all parts were
/// read.
struct WholePeriod {
  PeriodPart last_part;
  std::map<std::uint32_t, std::vector<GranuleRun>> runs;
  bool operator==(const WholePeriod &other) const { return runs == other.runs; }
};
std::map<std::uint64_t, WholePeriod> periods_of(const WholeTrace &trace);

/// The decoded content, encoded again: equal for equal frames.
Bytes encoded_again(const Frame &frame);

/// "first+count:flags ..." in hexadecimal, for readable comparisons.
std::string text_of(const std::vector<GranuleRun> &runs);

/// A file of the test's own, removed at its end.
class ScratchDirectory {
public:
  ScratchDirectory();
  ~ScratchDirectory();
  std::string file(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(const std::string &name,
                    std::span<const std::uint8_t> bytes);

private:
  std::string path_;
};

Bytes bytes_of_file(const std::string &path);

} // namespace pagetide::tools
