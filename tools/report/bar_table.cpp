//===- bar_table.cpp - A table whose rows end in bars ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/bar_table.h"

#include "support/text_format.h"

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
constexpr std::size_t kMinLabelAlone = 8; ///< if there is no room for bars

std::string repeated(const char *sign, std::size_t times) {
  std::string text;
  while (times-- > 0)
    text += sign;
  return text;
}

class BarDrawer {
public:
  BarDrawer(BarTable table, const ReportStyle &style)
      : table_(std::move(table)), dark_(style.unicode ? "█" : "#"),
        light_(style.unicode ? "▒" : "=") {
    all_rows_ = std::max<std::uint64_t>(table_.all_rows, table_.rows.size());
    drop_empty_columns();
    if (table_.noun && table_.rows.size() > style.top)
      table_.rows.resize(style.top);
    for (const BarRow &row : table_.rows) {
      longest_ = std::max(longest_, row.bar.whole);
      std::vector<std::string> &texts = cells_.emplace_back();
      for (const Json &cell : row.cells)
        texts.push_back(cell.is_string() ? cell.get<std::string>()
                        : cell.is_null() ? std::string()
                                         : format_count(number_of(cell)));
    }
    axis_end_ =
        table_.axis_end ? table_.axis_end(longest_) : format_count(longest_);
    measure(style.width);
  }

  std::string run() {
    std::string axis;
    if (bar_width_ != 0)
      axis = fmt::format("0{:>{}}", axis_end_, bar_width_ - 1);
    std::string out = line(table_.label_heading, table_.headings, axis);
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const BarRow &row = table_.rows[i];
      if (label_above_ != 0)
        out += fmt::format("{}{}\n", std::string(kTableIndent, ' '),
                           cut(row.label, label_above_));
      out += line(label_above_ != 0 ? std::string() : row.label, cells_[i],
                  bar(row.bar));
    }
    const std::string indent(kTableIndent, ' ');
    if (bar_width_ != 0 && !table_.dark_meaning.empty()) {
      out += fmt::format("{}Bars: {} {}", indent, dark_, table_.dark_meaning);
      if (!table_.light_meaning.empty())
        out += fmt::format(", {} {}", light_, table_.light_meaning);
      out += '\n';
    }
    if (const std::uint64_t more = all_rows_ - table_.rows.size();
        table_.noun && more != 0)
      out += fmt::format("{}and {} more {}{}\n", indent, format_count(more),
                         table_.noun, more == 1 ? "" : table_.noun_ending);
    return out;
  }

private:
  void drop_empty_columns() {
    if (table_.rows.empty())
      return;
    const auto drop = [](auto &list, std::size_t column) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(column));
    };
    for (std::size_t column = table_.headings.size(); column-- > 0;) {
      if (!std::ranges::all_of(table_.rows, [&](const BarRow &row) {
            return row.cells[column].is_null();
          }))
        continue;
      drop(table_.headings, column);
      for (BarRow &row : table_.rows)
        drop(row.cells, column);
    }
  }

  void measure(std::size_t width) {
    label_width_ = columns_of(table_.label_heading);
    for (const std::string &heading : table_.headings)
      cell_widths_.push_back(columns_of(heading));
    for (const BarRow &row : table_.rows)
      label_width_ = std::max(label_width_, columns_of(row.label));
    for (const std::vector<std::string> &cells : cells_)
      for (std::size_t i = 0; i < cells.size(); ++i)
        cell_widths_[i] = std::max(cell_widths_[i], columns_of(cells[i]));
    std::size_t cells = kTableIndent + kColumnGap;
    for (const std::size_t cell : cell_widths_)
      cells += kColumnGap + cell;
    const std::size_t longest_label = label_width_;
    const std::size_t room = std::max(width, cells + kMinLabelAlone) - cells;
    const std::size_t min_bar = std::max(kMinBar, columns_of(axis_end_) + 2);
    const bool has_bars = table_.has_bars && longest_ != 0 &&
                          room >= std::min(label_width_, kMinLabel) + min_bar;
    if (has_bars) {
      // A long path leaves room for bars that one can compare. A command needs
      // the room itself.
      std::size_t good_bar = min_bar;
      if (!table_.keeps_beginnings)
        good_bar =
            std::max({min_bar, width / kBarShare, columns_of(axis_end_) + 4});
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

  /// The label, cut if it has more columns.
  std::string cut(const std::string &label, std::size_t columns) const {
    const auto shorten = table_.keeps_beginnings ? fitted_at_end : fitted;
    return columns_of(label) > columns ? shorten(label, columns) : label;
  }

  std::string line(const std::string &label,
                   const std::vector<std::string> &cells,
                   const std::string &end) const {
    std::string out(kTableIndent, ' ');
    const std::string shown = cut(label, label_width_);
    const std::string padding(label_width_ - columns_of(shown), ' ');
    out += table_.right_labels ? padding + shown : shown + padding;
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += std::string(kColumnGap + cell_widths_[i] - columns_of(cells[i]),
                         ' ') +
             cells[i];
    out += std::string(kColumnGap, ' ') + end;
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  }

  std::string bar(const Bar &bar) const {
    const std::size_t whole = signs(bar.whole);
    const std::size_t dark = std::min(signs(bar.dark), whole);
    return repeated(dark_, dark) + repeated(light_, whole - dark);
  }

  /// Signs for a value. One that is not 0 has at least one.
  std::size_t signs(std::uint64_t value) const {
    if (value == 0 || bar_width_ == 0)
      return 0;
    const double share =
        static_cast<double>(value) / static_cast<double>(longest_);
    return std::max<std::size_t>(static_cast<std::size_t>(std::lround(
                                     share * static_cast<double>(bar_width_))),
                                 1);
  }

  BarTable table_;
  const char *dark_;
  const char *light_;
  std::uint64_t all_rows_ = 0;
  std::uint64_t longest_ = 0; ///< of the bars
  std::string axis_end_;
  std::vector<std::vector<std::string>> cells_; ///< of the rows
  std::size_t label_width_ = 0;
  std::vector<std::size_t> cell_widths_;
  std::size_t bar_width_ = 0;
  /// Of labels in lines of their own; 0: they are in the rows.
  std::size_t label_above_ = 0;
};

} // namespace

std::string draw_bars(BarTable table, const ReportStyle &style) {
  return BarDrawer(std::move(table), style).run();
}

} // namespace pagetide::tools
