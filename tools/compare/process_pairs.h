//===- process_pairs.h - Which process of one run is which of another -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// What is known of a process before its periods.
struct RunProcess {
  std::string path; ///< of its trace
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  std::uint64_t start_ns = 0; ///< CLOCK_MONOTONIC
  std::string program;        ///< empty if the trace lacks it
  std::vector<std::string> arguments;
};

/// Reads the begin of a trace. Throws Failure if it cannot be read.
RunProcess read_process(const std::string &path);

/// A process of run A and the one of run B that does the same. One of the two
/// may be lacking.
struct ProcessPair {
  std::optional<std::size_t> a; ///< indices in the lists that were given
  std::optional<std::size_t> b;

  friend bool operator==(const ProcessPair &, const ProcessPair &) = default;
};

/// Pairs children of paired parents, and processes without a recorded parent:
/// first those of the same program (the last part of its path) and arguments,
/// then those of the same program, each in the order of their starts. If one is
/// left on either side then, the two are a pair. At last it pairs in the same
/// way what is left of the whole runs. Sorted by start, A's processes first.
std::vector<ProcessPair> pair_processes(std::span<const RunProcess> a,
                                        std::span<const RunProcess> b);

} // namespace pagetide::tools
