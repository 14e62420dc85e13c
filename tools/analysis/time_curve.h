//===- time_curve.h - A quantity over time in bounded memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// The largest value of a quantity in each of several equal stretches of time.
/// The stretches are short at first. Their length doubles whenever they no
/// longer cover the time.
class TimeCurve {
public:
  /// Says that the quantity was `value` from `start_ns` to `end_ns`. The first
  /// call sets the origin. Earlier times count as the origin.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, std::uint64_t value);

  std::uint64_t start_ns() const { return origin_ns_; }
  std::uint64_t duration_ns() const { return duration_ns_; }
  bool empty() const { return !started_; }
  /// The curve in `columns` equal stretches, each with its largest value;
  /// nothing where the quantity was not told.
  std::vector<std::optional<std::uint64_t>> columns(std::size_t columns) const;

private:
  static constexpr std::size_t kBins = 4096;

  std::vector<std::optional<std::uint64_t>> bins_;
  std::uint64_t bin_ns_ = 1;
  std::uint64_t origin_ns_ = 0;
  std::uint64_t duration_ns_ = 0;
  bool started_ = false;
};

struct CurveStyle {
  std::size_t width = 80; ///< of the whole picture, in characters
  std::size_t height = 8; ///< of the curve itself, in lines
  bool unicode = true;    ///< block elements; otherwise ASCII
};

/// The curve with its axes, as lines of text. `value_label` returns the text
/// for a value of the vertical axis.
std::string draw_curve(const TimeCurve &curve, const CurveStyle &style,
                       std::string (*value_label)(double value,
                                                  const void *context),
                       const void *context);

} // namespace pagetide::tools
