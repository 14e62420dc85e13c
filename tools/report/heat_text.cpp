//===- heat_text.cpp - A picture of accesses as text ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/heat_picture.h"

#include "support/text_format.h"
#include "support/text_wrap.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kMaxLabel = 40;
constexpr std::size_t kMinBandLabel = 8;
constexpr std::size_t kAddressEvery = 5; ///< rows
constexpr std::size_t kTickColumns = 12; ///< that a label of time may have

std::size_t address_width(unsigned granule_shift,
                          const std::vector<const AddressBands *> &bands) {
  std::uint64_t last = 0;
  for (const AddressBands *each : bands)
    if (!each->list().empty())
      last = std::max(last, each->list().back().end);
  return fmt::format("{:#x}", last << granule_shift).size();
}

std::size_t label_width(const std::vector<const AddressBands *> &bands,
                        std::size_t width) {
  std::size_t longest = kMinBandLabel;
  for (const AddressBands *each : bands)
    for (const AddressBand &band : each->list())
      longest = std::max(longest, columns_of(band_label(band)));
  return std::min({longest, kMaxLabel, std::max(width / 5, kMinBandLabel)});
}

/// Columns in front of the picture.
std::size_t gutter_width(const std::vector<const AddressBands *> &bands,
                         unsigned granule_shift, std::size_t width) {
  return kIndent + label_width(bands, width) + 1 +
         address_width(granule_shift, bands) + 2;
}

class TextPicture : TextLines {
public:
  TextPicture(const HeatPicture &picture, const ReportStyle &style)
      : picture_(picture), style_(style) {
    for (const HeatPanel &panel : picture.panels)
      bands_.push_back(&panel.grid->bands());
    gutter_ = gutter_width(bands_, picture.granule_shift, style.width);
  }

  std::string run() {
    units();
    line("");
    line("{}{:<{}} {:>{}}", std::string(kIndent, ' '), "mapping",
         label_width(bands_, style_.width), "from",
         address_width(picture_.granule_shift, bands_));
    for (const HeatPanel &each : picture_.panels)
      panel(each);
    time_axis();
    legend();
    bool has_more = false;
    for (const AddressBands *each : bands_)
      for (const AddressBand &band : each->list())
        has_more |= band.more_labels != 0;
    if (has_more)
      paragraph(kIndent,
                "NAME +N: these rows have N more mappings, of other "
                "names.",
                style_.width);
    if (!picture_.left_out.empty())
      append(wrapped(picture_.left_out, 0, style_.width));
    return take();
  }

private:
  void units() {
    append(wrapped(fmt::format("A column is {}. {}",
                               format_duration(picture_.time.column_ns),
                               heat_row_units(picture_)),
                   0, style_.width));
  }

  void panel(const HeatPanel &panel) {
    if (!panel.heading.empty())
      line("{}", columns_of(panel.heading) > style_.width
                     ? fitted_at_end(panel.heading, style_.width)
                     : panel.heading);
    const HeatGrid &grid = *panel.grid;
    const std::size_t labels = label_width(bands_, style_.width);
    std::size_t of_band = 0; // rows of the band so far
    for (std::size_t row = 0; row < grid.rows().size(); ++row) {
      const HeatRow &here = grid.rows()[row];
      const bool begins = row == 0 || grid.rows()[row - 1].band != here.band;
      of_band = begins ? 0 : of_band + 1;
      const std::string label =
          begins ? fitted_at_end(band_label(grid.bands().list()[here.band]),
                                 labels)
                 : std::string(labels, ' ');
      const std::string address =
          of_band % kAddressEvery == 0
              ? fmt::format("{:#x}", here.first << picture_.granule_shift)
              : "";
      const char *axis =
          style_.unicode ? (begins ? "├" : "│") : (begins ? "+" : "|");
      line("{}{} {:>{}} {}{}", std::string(kIndent, ' '), label, address,
           gutter_ - kIndent - labels - 3, axis, line_of_cells(grid, row));
    }
  }

  void time_axis() {
    const std::size_t columns = picture_.time.columns;
    const std::uint64_t from = picture_.time.from_ns;
    std::string axis;
    std::string labels;
    std::size_t drawn = 0;
    const std::size_t max_ticks = columns / kTickColumns + 1;
    for (const TimeTick &tick :
         time_ticks(from, picture_.time.end_ns(), max_ticks)) {
      const auto column = static_cast<std::size_t>((tick.time_ns - from) /
                                                   picture_.time.column_ns);
      // The label must fit in front of the line's end, and behind the last one.
      if (gutter_ + column + tick.label.size() > style_.width ||
          labels.size() > column || column >= columns)
        continue;
      for (; drawn < column; ++drawn)
        axis += style_.unicode ? "─" : "-";
      axis += style_.unicode ? "┬" : "+";
      ++drawn;
      labels += std::string(column - labels.size(), ' ') + tick.label + "  ";
    }
    for (; drawn < columns; ++drawn)
      axis += style_.unicode ? "─" : "-";
    line("{}{}{}", std::string(gutter_ - 1, ' '), style_.unicode ? "└" : "+",
         axis);
    labels.erase(labels.find_last_not_of(' ') + 1);
    const std::string name = "since start";
    line("{:>{}}{}", name, gutter_ - 2, "  " + labels);
  }

  void legend() {
    std::string text = "Cells:";
    const char *comma = " ";
    for (const auto &[kind, name] : heat_legend(picture_)) {
      text += comma;
      if (style_.colors == Colors::kNone)
        text += cell_sign(kind, 0, 1);
      else
        for (std::size_t level = 0; level < kHeatLevelCount; ++level)
          if (level == 0 || style_.colors == Colors::kMany)
            text += cell_sign(kind, level, 1);
      text += " " + name;
      comma = ", ";
    }
    line("{}{}", std::string(kIndent, ' '), text);
    if (style_.colors != Colors::kFew)
      paragraph(kIndent,
                style_.colors == Colors::kNone
                    ? fmt::format("Capital letters: at least half of the row's "
                                  "{}s, in a period on average.",
                                  picture_.unit)
                    : fmt::format("From dark to bright: less than 10 %, less "
                                  "than 50 %, and more of the row's {}s, in a "
                                  "period on average.",
                                  picture_.unit),
                style_.width);
  }

  std::string cell_sign(HeatKind kind, std::size_t level,
                        std::size_t times) const {
    const HeatLook &look = look_of(kind);
    if (kind == HeatKind::kNone)
      return std::string(times, ' ');
    if (style_.colors == Colors::kNone) {
      const bool is_most = level + 1 == kHeatLevelCount;
      return std::string(times, is_most
                                    ? static_cast<char>(look.letter - 'a' + 'A')
                                    : look.letter);
    }
    std::string signs;
    for (std::size_t i = 0; i < times; ++i)
      signs += style_.unicode ? "█" : "#";
    return style_.colors == Colors::kMany
               ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", look.many_colors[level],
                             signs)
               : fmt::format("\x1b[{}m{}\x1b[0m", look.few_colors, signs);
  }

  std::string line_of_cells(const HeatGrid &grid, std::size_t row) const {
    const auto shown = [&](std::size_t column) {
      const HeatKind kind = heat_kind(picture_, grid.cell(row, column));
      return std::pair(kind, heat_level(grid.share(row, column)));
    };
    std::string cells;
    for (std::size_t column = 0; column < picture_.time.columns;) {
      std::size_t end = column + 1;
      while (end < picture_.time.columns && shown(end) == shown(column))
        ++end;
      const auto [kind, level] = shown(column);
      // No blanks at a line's end.
      if (kind != HeatKind::kNone || end < picture_.time.columns)
        cells += cell_sign(kind, level, end - column);
      column = end;
    }
    return cells;
  }

  const HeatPicture &picture_;
  const ReportStyle &style_;
  std::vector<const AddressBands *> bands_;
  std::size_t gutter_;
};

} // namespace

std::size_t heat_text_columns(const std::vector<const AddressBands *> &bands,
                              unsigned granule_shift, std::size_t width) {
  return width - gutter_width(bands, granule_shift, width);
}

std::string heat_text(const HeatPicture &picture, const ReportStyle &style) {
  return TextPicture(picture, style).run();
}

} // namespace pagetide::tools
