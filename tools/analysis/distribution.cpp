//===- distribution.cpp - Percentiles of many counts in bounded memory ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pagetide::tools {

void Distribution::add(std::uint64_t value) {
  ++samples_;
  maximum_ = std::max(maximum_, value);
  if (__builtin_add_overflow(sum_, value, &sum_))
    sum_ = UINT64_MAX;
  if (value < std::uint64_t{1} << kExactBits) {
    if (value >= exact_.size())
      exact_.resize(value + 1);
    ++exact_[value];
    return;
  }
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;
  std::vector<std::uint64_t> &counts = octaves_[octave - kExactBits];
  if (counts.empty())
    counts.resize(std::size_t{1} << kPrecisionBits);
  const std::uint64_t leading = value >> (octave - kPrecisionBits);
  ++counts[leading & ((1u << kPrecisionBits) - 1)];
}

std::uint64_t Distribution::percentile(double share) const {
  if (samples_ == 0)
    return 0;
  const auto wanted =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(
                                    share * static_cast<double>(samples_))),
                                1, samples_);
  std::uint64_t seen = 0;
  for (std::size_t value = 0; value < exact_.size(); ++value) {
    seen += exact_[value];
    if (seen >= wanted)
      return value;
  }
  for (std::size_t i = 0; i < octaves_.size(); ++i) {
    const auto octave = static_cast<unsigned>(i) + kExactBits;
    for (std::size_t bucket = 0; bucket < octaves_[i].size(); ++bucket) {
      seen += octaves_[i][bucket];
      if (seen >= wanted)
        return (bucket | std::uint64_t{1} << kPrecisionBits)
               << (octave - kPrecisionBits);
    }
  }
  return maximum_;
}

} // namespace pagetide::tools
