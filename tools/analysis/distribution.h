//===- distribution.h - Percentiles of many counts in bounded memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// A histogram of counts. Percentiles are exact below 2^20. Above that they are
/// rounded down by less than one part in 2^16. The maximum is always exact.
class Distribution {
public:
  void add(std::uint64_t value);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t maximum() const { return maximum_; }
  /// UINT64_MAX if the sum is larger.
  std::uint64_t sum() const { return sum_; }
  /// The smallest value that at least this share (0 to 1) of the samples does
  /// not exceed. 0 if there are no samples.
  std::uint64_t percentile(double share) const;

private:
  static constexpr unsigned kExactBits = 20;
  static constexpr unsigned kPrecisionBits = 16;

  std::vector<std::uint64_t> exact_; ///< grows with the largest value
  /// One per octave above. Each is empty until it is needed.
  std::array<std::vector<std::uint64_t>, 64 - kExactBits> octaves_;
  std::uint64_t samples_ = 0;
  std::uint64_t maximum_ = 0;
  std::uint64_t sum_ = 0;
};

} // namespace pagetide::tools
