//===- bar_table.cpp - A table whose rows end in bars ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/bar_table.h"

#include "support/text_format.h"
#include "support/text_wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pagetide::tools {

namespace {

constexpr std::size_t kTableIndent = 2;
constexpr std::size_t kColumnGap = 2; ///< between columns
constexpr std::size_t kMinBar = 12;
constexpr std::size_t kBarShare = 6; ///< of the table's width, a part for bars
constexpr std::size_t kMinLabel = 12;
constexpr std::size_t kLeastLabel = 8; ///< if there is no room for bars

std::string repeated(const char *sign, std::size_t times) {
  std::string text;
  while (times-- > 0)
    text += sign;
  return text;
}

class BarDrawer {
public:
  BarDrawer(const BarTable &table, const ReportStyle &style)
      : table_(table), dark_(style.unicode ? "█" : "#"),
        light_(style.unicode ? "▒" : "="), longest_(table.most()) {
    measure(style.width);
  }

  std::string run();

private:
  void measure(std::size_t width);
  /// The label, cut if it has more columns.
  std::string cut(const std::string &label, std::size_t columns) const;
  std::string line(const std::string &label,
                   const std::vector<std::string> &cells,
                   const std::string &end) const;
  std::string bar(const Bar &bar) const;
  /// Signs for a value. One that is not 0 has at least one.
  std::size_t signs(std::uint64_t value) const;

  const BarTable &table_;
  const char *dark_;
  const char *light_;
  std::uint64_t longest_;
  std::size_t label_width_ = 0;
  std::vector<std::size_t> cell_widths_;
  std::size_t bar_width_ = 0;
  /// Of labels in lines of their own; 0: they are in the rows.
  std::size_t label_above_ = 0;
};

void BarDrawer::measure(std::size_t width) {
  label_width_ = columns_of(table_.label_heading);
  for (const std::string &heading : table_.headings)
    cell_widths_.push_back(columns_of(heading));
  for (const BarRow &row : table_.rows) {
    label_width_ = std::max(label_width_, columns_of(row.label));
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cell_widths_[i] = std::max(cell_widths_[i], columns_of(row.cells[i]));
  }
  std::size_t cells = kTableIndent + kColumnGap;
  for (const std::size_t cell : cell_widths_)
    cells += kColumnGap + cell;
  const std::size_t longest_label = label_width_;
  const std::size_t room = std::max(width, cells + kLeastLabel) - cells;
  const std::size_t min_bar = std::max(kMinBar, columns_of(table_.longest) + 2);
  const bool has_bars = table_.has_bars && longest_ != 0 &&
                        room >= std::min(label_width_, kMinLabel) + min_bar;
  if (has_bars) {
    // A long path leaves room for bars that one can compare. A command needs
    // the room itself.
    std::size_t good_bar = min_bar;
    if (!table_.keeps_beginnings)
      good_bar = std::max(
          {min_bar, width / kBarShare, columns_of(table_.longest) + 4});
    const std::size_t least_label = std::min(label_width_, kMinLabel);
    label_width_ =
        std::min(label_width_, room - std::min(good_bar, room - least_label));
  } else {
    label_width_ = std::min(label_width_, room + kColumnGap);
  }
  if (table_.long_labels_above && label_width_ < longest_label) {
    label_above_ = width - kTableIndent;
    label_width_ = std::min(label_width_, columns_of(table_.label_heading));
  }
  if (has_bars)
    bar_width_ = room - label_width_;
}

std::size_t BarDrawer::signs(std::uint64_t value) const {
  if (value == 0 || bar_width_ == 0)
    return 0;
  const double share =
      static_cast<double>(value) / static_cast<double>(longest_);
  return std::max<std::size_t>(static_cast<std::size_t>(std::lround(
                                   share * static_cast<double>(bar_width_))),
                               1);
}

std::string BarDrawer::bar(const Bar &bar) const {
  const std::size_t whole = signs(bar.whole);
  const std::size_t dark = std::min(signs(bar.dark), whole);
  return repeated(dark_, dark) + repeated(light_, whole - dark);
}

std::string BarDrawer::cut(const std::string &label,
                           std::size_t columns) const {
  const auto shorten = table_.keeps_beginnings ? fitted_at_end : fitted;
  return columns_of(label) > columns ? shorten(label, columns) : label;
}

std::string BarDrawer::line(const std::string &label,
                            const std::vector<std::string> &cells,
                            const std::string &end) const {
  std::string out(kTableIndent, ' ');
  const std::string shown = cut(label, label_width_);
  const std::string padding(label_width_ - columns_of(shown), ' ');
  out += table_.left_labels ? shown + padding : padding + shown;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out +=
        std::string(kColumnGap + cell_widths_[i] - columns_of(cells[i]), ' ') +
        cells[i];
  out += std::string(kColumnGap, ' ') + end;
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string BarDrawer::run() {
  std::string axis;
  if (bar_width_ != 0)
    axis = fmt::format("0{:>{}}", table_.longest, bar_width_ - 1);
  std::string out = line(table_.label_heading, table_.headings, axis);
  for (const BarRow &row : table_.rows) {
    if (label_above_ != 0)
      out += fmt::format("{}{}\n", std::string(kTableIndent, ' '),
                         cut(row.label, label_above_));
    out += line(label_above_ != 0 ? std::string() : row.label, row.cells,
                bar(row.bar));
  }
  if (bar_width_ == 0 || table_.dark_meaning.empty())
    return out;
  std::string legend = fmt::format("{} {}", dark_, table_.dark_meaning);
  if (!table_.light_meaning.empty())
    legend += fmt::format(", {} {}", light_, table_.light_meaning);
  return out +
         fmt::format("{}Bars: {}\n", std::string(kTableIndent, ' '), legend);
}

} // namespace

std::uint64_t BarTable::most() const {
  std::uint64_t most = 0;
  for (const BarRow &row : rows)
    most = std::max(most, row.bar.whole);
  return most;
}

std::string draw_bars(const BarTable &table, const ReportStyle &style) {
  return BarDrawer(table, style).run();
}

std::string more_rows(std::size_t count, const char *what, const char *ending) {
  if (count == 0)
    return {};
  return fmt::format("  and {} more {}{}\n", format_count(count), what,
                     count == 1 ? "" : ending);
}

} // namespace pagetide::tools
