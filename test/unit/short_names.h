//===- short_names.h - What many tests of traces name ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/trace_format.h"

#include <cstdint>

namespace pagetide::tools {

/// A millisecond, in nanoseconds.
inline constexpr std::uint64_t kMs = 1'000'000;

/// A run of granules that were read, and of granules that were written.
inline constexpr auto kR = trace::kRunRead;
inline constexpr auto kW = trace::kRunWritten;

} // namespace pagetide::tools
