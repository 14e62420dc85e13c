//===- bar_table.h - A table whose rows end in bars -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_BAR_TABLE_H
#define PAGETIDE_TOOLS_REPORT_BAR_TABLE_H

#include "report/report_style.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

/// A bar of two parts: from 0 to `dark`, and from there to `whole`.
struct Bar {
  std::uint64_t whole = 0;
  std::uint64_t dark = 0;
};

struct BarRow {
  std::string label;
  std::vector<std::string> cells;
  Bar bar;
};

struct BarTable {
  std::string label_heading;
  std::vector<std::string> headings; ///< of the cells
  std::vector<BarRow> rows;
  /// What the end of the longest bar stands for.
  std::string longest;
  /// What the two parts of bars mean. The second may be empty.
  std::string dark_meaning;
  std::string light_meaning;
  bool left_labels = false; ///< otherwise they end in one column
  /// Labels that are cut lose their ends, as commands should. Otherwise they
  /// lose their beginnings, as paths should.
  bool keeps_beginnings = false;
  bool has_bars = true;
  /// If a label would be cut, each is in a line of its own above its row.
  bool long_labels_above = false;

  /// The longest bar.
  std::uint64_t most() const;
};

/// The table in lines of at most style.width columns. Above the bars are the
/// ends of their axis. Labels that leave no room for bars are cut.
std::string draw_bars(const BarTable &table, const ReportStyle &style);

/// A line that says how many rows are left out, if any are: "and 3 more
/// mappings".
std::string more_rows(std::size_t count, const char *what,
                      const char *ending = "s");

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_BAR_TABLE_H
