//===- time_curve.cpp - A quantity over time in bounded memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/time_curve.h"

#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pagetide::tools {

void TimeCurve::add(std::uint64_t start_ns, std::uint64_t end_ns,
                    std::uint64_t value) {
  if (!started_) {
    started_ = true;
    origin_ns_ = start_ns;
    bins_.assign(kBins, std::nullopt);
  }
  const std::uint64_t start = std::max(start_ns, origin_ns_) - origin_ns_;
  const std::uint64_t end = std::max(end_ns, origin_ns_) - origin_ns_;
  duration_ns_ = std::max(duration_ns_, end);
  // The last nanosecond decides, so that a curve that just fills the bins does
  // not become coarser. An instant gets the bin that it lies in.
  const std::uint64_t last = end > start ? end - 1 : start;
  while (last / bin_ns_ >= kBins) {
    for (std::size_t i = 0; i < kBins / 2; ++i)
      bins_[i] = std::max(bins_[2 * i], bins_[2 * i + 1]);
    std::fill(bins_.begin() + kBins / 2, bins_.end(), std::nullopt);
    bin_ns_ *= 2;
  }
  for (std::uint64_t bin = start / bin_ns_; bin <= last / bin_ns_; ++bin)
    bins_[bin] = std::max(bins_[bin], std::optional(value));
}

std::vector<std::optional<std::uint64_t>>
TimeCurve::columns(std::size_t columns) const {
  std::vector<std::optional<std::uint64_t>> out(columns);
  if (!started_)
    return out;
  const std::size_t used = std::min<std::uint64_t>(
      kBins, duration_ns_ == 0 ? 1 : (duration_ns_ - 1) / bin_ns_ + 1);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = column * used / columns;
    const std::size_t end =
        std::max(first + 1, ((column + 1) * used + columns - 1) / columns);
    out[column] = *std::max_element(
        bins_.begin() + static_cast<std::ptrdiff_t>(first),
        bins_.begin() + static_cast<std::ptrdiff_t>(std::min(end, used)));
  }
  return out;
}

std::string draw_curve(const TimeCurve &curve, const CurveStyle &style,
                       std::string (*value_label)(double value,
                                                  const void *context),
                       const void *context) {
  static constexpr const char *kBlocks[] = {" ", "▁", "▂", "▃", "▄",
                                            "▅", "▆", "▇", "█"};
  static constexpr const char *kAscii[] = {" ", ".", ":", "|"};
  const std::size_t steps = style.unicode ? 8 : 3;
  constexpr std::size_t kLabelWidth = 10;
  const std::size_t frame = kLabelWidth + 3;
  const std::size_t width =
      std::clamp<std::size_t>(style.width, frame + 20, 400) - frame;

  const std::vector<std::optional<std::uint64_t>> columns =
      curve.columns(width);
  const std::uint64_t top = std::max<std::uint64_t>(
      std::max_element(columns.begin(), columns.end())->value_or(0), 1);
  // Heights are in steps of a line. A value other than 0 has at least one step.
  std::vector<std::size_t> heights;
  for (const std::optional<std::uint64_t> &column : columns) {
    const std::uint64_t value = column.value_or(0);
    const double share = static_cast<double>(value) / static_cast<double>(top);
    const auto height = static_cast<std::size_t>(
        std::lround(share * static_cast<double>(style.height * steps)));
    heights.push_back(value != 0 ? std::max<std::size_t>(height, 1) : 0);
  }

  std::string out;
  for (std::size_t line = style.height; line-- > 0;) {
    std::string label;
    if (line + 1 == style.height)
      label = value_label(static_cast<double>(top), context);
    else if (line + 1 == style.height / 2)
      label = value_label(static_cast<double>(top) / 2, context);
    const char *axis = style.unicode ? (label.empty() ? "│" : "┤")
                                     : (label.empty() ? "|" : "+");
    std::string row;
    for (const std::size_t height : heights) {
      const std::size_t filled =
          std::clamp(height, line * steps, (line + 1) * steps) - line * steps;
      row += style.unicode ? kBlocks[filled] : kAscii[filled];
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += fmt::format(" {:>{}} {}{}\n", label, kLabelWidth, axis, row);
  }
  std::string line;
  for (const std::optional<std::uint64_t> &column : columns)
    line += !column ? " " : style.unicode ? "─" : "-";
  out += fmt::format(" {:>{}} {}{}\n", "0", kLabelWidth,
                     style.unicode ? "└" : "+", line);
  const std::string end = format_duration(curve.duration_ns());
  out += fmt::format(" {:>{}}  {}{:>{}}\n", "", kLabelWidth, "0 s", end,
                     width - 3);
  return out;
}

} // namespace pagetide::tools
