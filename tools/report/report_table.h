//===- report_table.h - The rows of a report, for programs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/json.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// A column of the table that a kind of report is about.
struct ReportColumn {
  const char *name; ///< an interface: docs/reference/cli-output.md
  /// Sorted by it, the least comes first. Texts always come in their order.
  bool is_ascending = false;
};

/// A cell for each column. Null: it is not known, or does not apply.
using ReportRow = std::vector<Json>;

/// "pid, tid, name".
std::string column_names(std::span<const ReportColumn> columns);

/// The number of the column. Throws Failure if there is none of the name.
std::size_t find_column(std::span<const ReportColumn> columns,
                        std::string_view name);

/// The numbers of the rows in the order of a column. Equal ones keep their
/// order, and those without a value come last.
std::vector<std::size_t> sorted_rows(const std::vector<ReportRow> &rows,
                                     std::size_t number,
                                     const ReportColumn &column);

/// The row as an object.
Json row_json(std::span<const ReportColumn> columns, ReportRow row);

/// A header line, then a line per row.
std::string table_csv(std::span<const ReportColumn> columns,
                      const std::vector<ReportRow> &rows);

} // namespace pagetide::tools
