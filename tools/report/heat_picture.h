//===- heat_picture.h - A picture of accesses by time and address ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/heat_grid.h"
#include "report/report_style.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// The address space of one process.
struct HeatPanel {
  std::string heading; ///< empty if there is only one
  const HeatGrid *grid;
};

/// What the drawings show, in whatever form.
struct HeatPicture {
  std::string title;
  std::vector<std::string> facts;
  HeatTime time;
  std::vector<HeatPanel> panels; ///< of one time, with as many columns each
  std::string left_out;          ///< says what is not shown; may be empty
  bool tells_reads = true;
  std::string access_word; ///< "accessed" and the like, if not
  std::string unit;        ///< "page"
  unsigned granule_shift = 12;
};

/// What a cell shows.
enum class HeatKind { kNone, kAccessed, kRead, kWritten, kBoth };
inline constexpr std::size_t kHeatKinds = 5;
HeatKind heat_kind(const HeatPicture &picture, const HeatCell &cell);

/// How much of the cell was accessed: the last level whose share it reaches.
inline constexpr double kHeatLevels[] = {0, 0.1, 0.5};
inline constexpr std::size_t kHeatLevelCount = 3;
std::size_t heat_level(double share);

/// How a kind looks and what it is called, in SVG, in HTML and on terminals.
struct HeatLook {
  const char *name;  ///< in JSON
  const char *words; ///< if the picture tells reads from writes
  char letter;       ///< without colours; a capital is for the last level
  const char *fills[kHeatLevelCount]; ///< on white
  int many_colors[kHeatLevelCount];   ///< of the 256 of terminals
  int few_colors;                     ///< of the eight
  /// On a light page, and on a dark one.
  const char *light() const { return fills[kHeatLevelCount - 1]; }
  const char *dark() const { return fills[kHeatLevelCount - 2]; }
};

/// By kind. Blue, orange and green of the palette of Okabe and Ito, which most
/// people who confuse colours tell apart.
inline constexpr HeatLook kHeatLooks[kHeatKinds] = {
    {"none", "", ' ', {"", "", ""}, {0, 0, 0}, 0},
    {"accessed",
     "accessed",
     'a',
     {"#99c7e0", "#4d9cc9", "#0072b2"},
     {24, 32, 39},
     34},
    {"read",
     "only read",
     'r',
     {"#99c7e0", "#4d9cc9", "#0072b2"},
     {24, 32, 39},
     34},
    {"written",
     "only written",
     'w',
     {"#f8e0b0", "#efc05a", "#d98c00"},
     {94, 172, 214},
     33},
    {"both", "both", 'b', {"#9fd8c7", "#4dbb9d", "#00805c"}, {22, 35, 48}, 32},
};
constexpr const HeatLook &look_of(HeatKind kind) {
  return kHeatLooks[static_cast<std::size_t>(kind)];
}

/// "[heap]", "libc.so.6", "libc.so.6 +2": files without their directories.
std::string band_label(const AddressBand &band);

/// The kinds that a picture can show, and what they mean.
std::vector<std::pair<HeatKind, std::string>>
heat_legend(const HeatPicture &picture);

/// Says what a row is.
std::string heat_row_units(const HeatPicture &picture);

/// The columns of a drawing in text that has at most this width.
std::size_t heat_text_columns(const std::vector<const AddressBands *> &bands,
                              unsigned granule_shift, std::size_t width);

/// The picture in lines of at most style.width columns, without its title.
std::string heat_text(const HeatPicture &picture, const ReportStyle &style);

/// The picture as an SVG document that needs nothing else.
std::string heat_svg(const HeatPicture &picture);

struct TimeTick {
  std::uint64_t time_ns = 0;
  std::string label; ///< "1.5 s"
};

/// Multiples of a round time from from_ns to to_ns, at most `max_ticks` (at
/// least 2).
std::vector<TimeTick> time_ticks(std::uint64_t from_ns, std::uint64_t to_ns,
                                 std::size_t max_ticks);

} // namespace pagetide::tools
