//===- heat_svg.cpp - A picture of accesses as an SVG document ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/heat_picture.h"
#include "support/escaped_text.h"
#include "support/text_format.h"
#include "support/text_wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pagetide::tools {

namespace {

constexpr std::size_t kPlotWidth = 960; ///< at least, in pixels
constexpr std::size_t kLineHeight = 16;
constexpr std::size_t kMargin = 16;
constexpr std::size_t kCharWidth = 8;  ///< of the text, at most
constexpr std::size_t kHalfLabel = 32; ///< of a time, beyond the axis
constexpr std::size_t kMinRowHeight = 2;
constexpr std::size_t kPlotHeight = 480; ///< at least
constexpr std::size_t kMaxFactWidth = 150;
constexpr std::size_t kMaxBandLabel = 40;

class SvgPicture {
public:
  explicit SvgPicture(const HeatPicture &picture) : picture_(picture) {
    std::size_t label = 0;
    std::size_t rows = 1;
    for (const HeatPanel &panel : picture.panels) {
      rows += panel.grid->rows().size();
      for (const AddressBand &band : panel.grid->bands().list())
        label = std::max(label, columns_of(band_label(band)));
    }
    // The names, then addresses.
    left_ = kMargin + (std::min(label, kMaxBandLabel) + 17) * kCharWidth;
    cell_width_ = std::max<std::size_t>(kPlotWidth / picture.time.columns, 1);
    width_ = cell_width_ * picture.time.columns;
    row_height_ = std::max(kPlotHeight / rows, kMinRowHeight);
  }

  std::string run() {
    y_ += kLineHeight;
    add(R"(<text class="title" x="{}" y="{}">{}</text>)", kMargin, y_,
        markup_text(picture_.title));
    for (const std::string &fact : picture_.facts) {
      std::string lines = wrapped(fact, 0, kMaxFactWidth);
      while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        y_ += kLineHeight + 2;
        text(kMargin, y_, "start", lines.substr(0, end));
        lines.erase(0, end + 1);
      }
    }
    y_ += kLineHeight;
    for (const HeatPanel &each : picture_.panels)
      panel(each);
    if (!picture_.panels.empty()) {
      time_axis();
      legend();
    }
    if (!picture_.left_out.empty()) {
      y_ += kLineHeight;
      text(left_, y_, "start", picture_.left_out);
    }
    const std::size_t width =
        std::max(left_ + width_ + kHalfLabel, kMaxFactWidth * kCharWidth) +
        kMargin;
    const std::size_t height = y_ + kMargin;
    return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" )"
                       R"(height="{1}" viewBox="0 0 {0} {1}" role="img">)"
                       "\n<title>{2}</title>\n"
                       "<style>text{{font:13px monospace;fill:#222}}"
                       ".title{{font:bold 17px sans-serif}}"
                       ".line{{stroke:#666;stroke-width:1;fill:none}}"
                       ".plot{{fill:#fff;stroke:#666}}</style>\n"
                       R"(<rect width="{0}" height="{1}" fill="#fff"/>)"
                       "\n",
                       width, height, markup_text(picture_.title)) +
           out_ + "</svg>\n";
  }

private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void text(std::size_t x, std::size_t y, const char *anchor,
            const std::string &words) {
    add(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", x, y, anchor,
        markup_text(words));
  }

  void panel(const HeatPanel &panel) {
    if (!panel.heading.empty()) {
      y_ += kLineHeight;
      text(kMargin, y_, "start", panel.heading);
      y_ += kLineHeight / 2;
    }
    const std::vector<std::size_t> tops = row_tops(*panel.grid);
    const std::size_t height = tops.back() - y_;
    add(R"(<rect class="plot" x="{}" y="{}" width="{}" height="{}"/>)", left_,
        y_, width_, height);
    add(R"(<g shape-rendering="crispEdges">)");
    cells(*panel.grid, tops);
    add("</g>");
    bands(*panel.grid, tops);
    y_ += height;
  }

  /// Where each row begins, and where the last one ends.
  std::vector<std::size_t> row_tops(const HeatGrid &grid) const {
    // Also a band of few rows has room for its name.
    std::vector<std::size_t> rows_of_band(grid.bands().list().size(), 0);
    for (const HeatRow &row : grid.rows())
      ++rows_of_band[row.band];
    std::vector<std::size_t> tops = {y_};
    for (const HeatRow &row : grid.rows())
      tops.push_back(tops.back() +
                     std::max(row_height_,
                              (kLineHeight - 1) / rows_of_band[row.band] + 1));
    return tops;
  }

  /// Names and addresses, as far as there is room, and lines between the bands.
  void bands(const HeatGrid &grid, const std::vector<std::size_t> &tops) {
    std::size_t free_y = 0; // above it is text
    std::size_t band_end = 0;
    for (std::size_t row = 0; row < grid.rows().size(); ++row) {
      const HeatRow &here = grid.rows()[row];
      const bool begins = row == 0 || grid.rows()[row - 1].band != here.band;
      const std::size_t y = tops[row];
      const AddressBand &band = grid.bands().list()[here.band];
      if (begins) {
        add(R"(<path class="line" d="M{} {}h{}"/>)", left_ - 6, y, width_ + 6);
        const std::uint64_t first = band.first << picture_.granule_shift;
        const std::uint64_t bytes = band.length() << picture_.granule_shift;
        add(R"(<rect fill="none" pointer-events="all" x="0" y="{}" width="{}" )"
            R"(height="{}"><title>{}: {:#x}, {}</title></rect>)",
            y, left_, tops[row + 1] - y, markup_text(printable(band.label)),
            first, format_bytes(bytes));
      }
      if (begins) {
        std::size_t rows = 1;
        while (row + rows < grid.rows().size() &&
               grid.rows()[row + rows].band == here.band)
          ++rows;
        band_end = tops[row + rows];
      }
      // Further addresses, as far as there is room in the band.
      if (!begins && (y < free_y + kLineHeight || y + kLineHeight > band_end))
        continue;
      const std::size_t base = y + kLineHeight - 4;
      if (begins) {
        const std::string label = band_label(band);
        text(kMargin, base, "start",
             columns_of(label) > kMaxBandLabel
                 ? fitted_at_end(label, kMaxBandLabel)
                 : label);
      }
      text(left_ - 8, base, "end",
           fmt::format("{:#x}", here.first << picture_.granule_shift));
      free_y = y + kLineHeight;
    }
  }

  /// One path for each kind and level: a rectangle for each run of equal cells.
  void cells(const HeatGrid &grid, const std::vector<std::size_t> &tops) {
    std::array<std::string, kHeatKinds * kHeatLevelCount> paths;
    const auto path_of = [&](std::size_t row, std::size_t column) {
      const HeatKind kind = heat_kind(picture_, grid.cell(row, column));
      return static_cast<std::size_t>(kind) * kHeatLevelCount +
             (kind == HeatKind::kNone ? 0
                                      : heat_level(grid.share(row, column)));
    };
    for (std::size_t row = 0; row < grid.rows().size(); ++row)
      for (std::size_t column = 0; column < picture_.time.columns;) {
        const std::size_t path = path_of(row, column);
        std::size_t end = column + 1;
        while (end < picture_.time.columns && path_of(row, end) == path)
          ++end;
        if (path >= kHeatLevelCount)
          paths[path] += fmt::format(
              "M{} {}h{}v{}h-{}z", left_ + column * cell_width_, tops[row],
              (end - column) * cell_width_, tops[row + 1] - tops[row],
              (end - column) * cell_width_);
        column = end;
      }
    for (std::size_t path = 0; path < paths.size(); ++path)
      if (!paths[path].empty())
        add(R"(<path fill="{}" d="{}"/>)",
            kHeatLooks[path / kHeatLevelCount].fills[path % kHeatLevelCount],
            paths[path]);
  }

  void time_axis() {
    const HeatTime &time = picture_.time;
    add(R"(<path class="line" d="M{} {}h{}"/>)", left_, y_, width_);
    for (const TimeTick &tick :
         time_ticks(time.from_ns, time.end_ns(), width_ / (14 * kCharWidth))) {
      const std::size_t x =
          left_ + static_cast<std::size_t>(
                      static_cast<double>(tick.time_ns - time.from_ns) /
                      static_cast<double>(time.column_ns) *
                      static_cast<double>(cell_width_));
      add(R"(<path class="line" d="M{} {}v6"/>)", x, y_);
      text(x, y_ + kLineHeight + 6, "middle", tick.label);
    }
    y_ += 2 * kLineHeight + 8;
    text(left_ + width_ / 2, y_, "middle",
         fmt::format("Time since the run's start. A column is {}.",
                     format_duration(time.column_ns)));
    y_ += kLineHeight + 4;
    text(left_ + width_ / 2, y_, "middle", heat_row_units(picture_));
    y_ += kLineHeight;
  }

  void legend() {
    std::size_t x = left_;
    y_ += 4;
    for (const auto &[kind, name] : heat_legend(picture_)) {
      for (std::size_t level = 0; level < kHeatLevelCount; ++level, x += 16)
        add(R"(<rect x="{}" y="{}" width="16" height="12" fill="{}"/>)", x, y_,
            look_of(kind).fills[level]);
      text(x + 6, y_ + 11, "start", name);
      x += (name.size() + 3) * kCharWidth;
    }
    y_ += 2 * kLineHeight;
    text(left_, y_, "start",
         fmt::format("From light to dark: less than 10 %, less than 50 %, and "
                     "more of the row's {}s, in a period on average.",
                     picture_.unit));
    y_ += kLineHeight;
  }

  const HeatPicture &picture_;
  std::string out_;
  std::size_t left_ = 0;
  std::size_t width_ = 0; ///< of the plot
  std::size_t cell_width_;
  std::size_t row_height_;
  std::size_t y_ = kMargin; ///< of what comes next
};

} // namespace

std::string heat_svg(const HeatPicture &picture) {
  return SvgPicture(picture).run();
}

} // namespace pagetide::tools
