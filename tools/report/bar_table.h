//===- bar_table.h - A table whose rows end in bars -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "report/report_style.h"
#include "support/json.h"
#include "support/text_wrap.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// A bar of two parts: from 0 to `dark`, and from there to `whole`.
struct Bar {
  std::uint64_t whole = 0;
  std::uint64_t dark = 0;
};

struct BarRow {
  std::string label;
  /// Numbers and texts. A column without a cell that has either is not drawn.
  std::vector<Json> cells;
  Bar bar;
};

struct BarTable {
  std::string label_heading;
  std::vector<std::string> headings; ///< of the cells
  std::vector<BarRow> rows;
  /// What the end of the longest bar stands for, in words. If there is nothing
  /// here, it is a count.
  std::function<std::string(std::uint64_t)> axis_end;
  /// What the two parts of bars mean. The second may be empty.
  std::string dark_meaning;
  std::string light_meaning;
  bool right_labels = false; ///< they end in one column, as numbers should
  /// Labels that are cut lose their ends, as commands should. Otherwise they
  /// lose their beginnings, as paths should.
  bool keeps_beginnings = false;
  bool has_bars = true;
  /// If a label would be cut, each is in a line of its own above its row.
  bool long_labels_above = false;
  /// What a row is. If that is said, a table has at most style.top rows, and a
  /// line says how many are left out: "and 3 more mappings".
  const char *noun = nullptr;
  const char *noun_ending = "s"; ///< of several
  std::uint64_t all_rows = 0;    ///< if there are more than those above
};

/// The table in lines of at most style.width columns. Above the bars are the
/// ends of their axis. Labels that leave no room for bars are cut.
std::string draw_bars(BarTable table, const ReportStyle &style);

/// The text of a report: statements and tables, in lines of the style's width.
class ReportLines : public TextLines {
public:
  explicit ReportLines(const ReportStyle &style) : style_(style) {}

  const ReportStyle &style() const { return style_; }
  void statement(std::string_view words) {
    append(wrapped(words, 0, style_.width));
  }
  /// The same for words that belong to what is above.
  void remark(std::string_view words) { paragraph(2, words, style_.width); }
  void table(std::string_view heading, BarTable table) {
    statement(heading);
    append(draw_bars(std::move(table), style_));
  }

private:
  ReportStyle style_;
};

} // namespace pagetide::tools
