//===- report_limits.h - What a report takes from a trace at most ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>

namespace pagetide::tools {

/// For the sets that count distinct granules. It holds hundreds of millions of
/// granules if they are dense.
inline constexpr std::size_t kSetBytes = 192u << 20;
/// For records of granules. It holds some ten million.
inline constexpr std::size_t kTableBytes = 2 * kSetBytes;
/// For the sets of threads, or of sites, that pages have.
inline constexpr std::size_t kThreadSetBytes = 96u << 20;
inline constexpr std::size_t kMaxThreads = 65536;
/// Names are cut to what a person would read. A damaged or made-up trace can
/// have megabytes of them.
inline constexpr std::size_t kMaxThreadName = 256;

/// Of mappings, in JSON.
inline constexpr std::size_t kMaxListedMappings = 1000;

/// 146 years in nanoseconds: sums of two such times do not overflow. Damaged
/// traces have later ones.
inline constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 62;

} // namespace pagetide::tools
