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

} // namespace pagetide::tools
