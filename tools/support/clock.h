//===- clock.h - The clocks that traces use -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <ctime>

namespace pagetide::tools {

inline std::uint64_t clock_ns(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// CLOCK_MONOTONIC, as in traces.
inline std::uint64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

} // namespace pagetide::tools
