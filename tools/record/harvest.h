//===- harvest.h - Completes the trace of a process that died -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_HARVEST_H
#define PAGETIDE_TOOLS_RECORD_HARVEST_H

#include <cstdint>
#include <string>

namespace pagetide::tools {

struct HarvestRequest {
  int memfd = -1;
  int trace_fd = -1;            ///< neither its mode nor its offset matters
  std::string trace_name;       ///< for messages
  std::uint64_t end_detail = 0; ///< of the End frame: trace::EndReason::kKilled
  std::uint64_t now_ns = 0;     ///< CLOCK_MONOTONIC
};

struct HarvestResult {
  bool was_complete = false;   ///< nothing was done
  bool ends_early = false;     ///< and the runtime said that it could not go on
  std::uint64_t cut_bytes = 0; ///< taken off the trace's torn end
  std::uint64_t whole_periods = 0;    ///< added complete
  bool partial_period = false;        ///< added
  std::uint64_t partial_granules = 0; ///< in it
};

/// Takes off what the process did not finish writing, adds the periods that it
/// had staged and the one it was in, and ends the trace. Throws Failure where
/// that is impossible; what the trace held in whole periods is still there.
HarvestResult harvest(const HarvestRequest &request);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_HARVEST_H
