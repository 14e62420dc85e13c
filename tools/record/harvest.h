//===- harvest.h - Completes the trace of a process that died -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <string>

namespace pagetide::tools {

struct HarvestRequest {
  int memfd = -1;
  int trace_fd = -1;            ///< with any mode and any offset
  std::string trace_name;       ///< for messages
  std::uint64_t end_detail = 0; ///< of the End frame: trace::EndReason::kKilled
  std::uint64_t now_ns = 0;     ///< CLOCK_MONOTONIC
};

struct HarvestResult {
  bool was_complete = false;          ///< nothing had to be done
  bool had_all_periods = false;       ///< only the trace's end was missing
  bool ends_early = false;            ///< the runtime had given up before
  std::uint64_t cut_bytes = 0;        ///< removed from the trace's torn end
  std::uint64_t whole_periods = 0;    ///< complete periods that were added
  bool partial_period = false;        ///< whether the open period was added
  std::uint64_t partial_granules = 0; ///< in the open period
};

/// Removes the frame that the process did not finish. Adds the periods that it
/// had staged, and the open one. Then ends the trace. Throws Failure if that is
/// impossible; the trace still has the whole periods that it had before.
HarvestResult harvest(const HarvestRequest &request);

/// Reads a whole trace. Returns what it lacks (Completeness::sentence), or why
/// it cannot be read.
std::string missing_from_trace(int trace_fd, const std::string &name);

} // namespace pagetide::tools
