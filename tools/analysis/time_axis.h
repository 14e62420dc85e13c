//===- time_axis.h - Round times for the axis of a picture ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

struct TimeTick {
  std::uint64_t time_ns = 0;
  std::string label; ///< "1.5 s"
};

/// Multiples of a round time from from_ns to to_ns, at most `max_ticks` (at
/// least 2).
std::vector<TimeTick> time_ticks(std::uint64_t from_ns, std::uint64_t to_ns,
                                 std::size_t max_ticks);

} // namespace pagetide::tools
