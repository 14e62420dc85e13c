//===- heat_picture.cpp - A picture of accesses by time and address -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/heat_picture.h"

#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

HeatKind heat_kind(const HeatPicture &picture, const HeatCell &cell) {
  if (cell.accessed == 0)
    return HeatKind::kNone;
  if (!picture.tells_reads)
    return picture.access_word == "read"      ? HeatKind::kRead
           : picture.access_word == "written" ? HeatKind::kWritten
                                              : HeatKind::kAccessed;
  if (cell.written == 0)
    return HeatKind::kRead;
  return cell.read == 0 ? HeatKind::kWritten : HeatKind::kBoth;
}

std::size_t heat_level(double share) {
  std::size_t level = 0;
  while (level + 1 < kHeatLevelCount && share >= kHeatLevels[level + 1])
    ++level;
  return level;
}

std::string band_label(const AddressBand &band) {
  std::string label = printable(band.label);
  if (label.starts_with('/') && !label.starts_with("/dev/zero"))
    label.erase(0, label.rfind('/') + 1);
  if (band.more_labels != 0)
    label += fmt::format(" +{}", band.more_labels);
  return label;
}

std::string heat_row_units(const HeatPicture &picture) {
  std::uint64_t most = 0;
  for (const HeatPanel &panel : picture.panels)
    for (const HeatRow &row : panel.grid->rows())
      most = std::max(most, row.end - row.first);
  return fmt::format(
      "A row is {}{} {}{} ({}). Addresses rise downwards; unused ones between "
      "the mappings are left out.",
      most == 1 ? "" : "at most ", format_count(most), picture.unit,
      plural(most), format_bytes(most << picture.granule_shift));
}

std::vector<std::pair<HeatKind, std::string>>
heat_legend(const HeatPicture &picture) {
  std::vector<std::pair<HeatKind, std::string>> kinds;
  if (picture.tells_reads) {
    for (const HeatKind kind :
         {HeatKind::kRead, HeatKind::kWritten, HeatKind::kBoth})
      kinds.emplace_back(kind, look_of(kind).words);
    return kinds;
  }
  const HeatCell any = {.accessed = 1};
  return {{heat_kind(picture, any), picture.access_word}};
}

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;

/// The round time that follows a round one.
std::uint64_t next_step(std::uint64_t step) {
  static constexpr std::uint64_t kClock[] = {
      10 * kSecond, 20 * kSecond, 30 * kSecond, kMinute,      2 * kMinute,
      5 * kMinute,  10 * kMinute, 20 * kMinute, 30 * kMinute, kHour};
  for (const std::uint64_t time : kClock)
    if (step >= 5 * kSecond && time > step)
      return time;
  // 1, 2, 5, 10 ns and so on; the same of hours.
  const std::uint64_t unit = step >= kHour ? kHour : 1;
  std::uint64_t power = 1;
  while (power <= step / unit / 10)
    power *= 10;
  const std::uint64_t digit = step / unit / power;
  return unit * power * (digit < 2 ? 2 : digit < 5 ? 5 : 10);
}

/// A time that is a multiple of a round one, without needless zeros.
std::string tick_label(std::uint64_t ns) {
  if (ns == 0)
    return "0 s";
  if (ns < kSecond || ns >= 2 * kMinute)
    return format_duration(ns);
  std::string text =
      fmt::format("{:.6f}", static_cast<double>(ns) / double{kSecond});
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.'))
    text.pop_back();
  return text + " s";
}

} // namespace

std::vector<TimeTick> time_ticks(std::uint64_t from_ns, std::uint64_t to_ns,
                                 std::size_t max_ticks) {
  max_ticks = std::max<std::size_t>(max_ticks, 2);
  std::uint64_t step = 1;
  while (to_ns / step - from_ns / step + 1 > max_ticks)
    step = next_step(step);
  std::vector<TimeTick> ticks;
  for (std::uint64_t i = (from_ns + step - 1) / step; i <= to_ns / step; ++i)
    ticks.push_back({i * step, tick_label(i * step)});
  return ticks;
}

} // namespace pagetide::tools
