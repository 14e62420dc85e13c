//===- report_table.cpp - The rows of a report, for programs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_table.h"

#include "support/escaped_text.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <algorithm>
#include <numeric>

namespace pagetide::tools {

namespace {

bool is_text_before(std::string_view a, std::string_view b) {
  // Addresses.
  if (a.starts_with("0x") && b.starts_with("0x") && a.size() != b.size())
    return a.size() < b.size();
  return a < b;
}

bool is_before(const Json &a, const Json &b, bool is_ascending) {
  if (a.is_null() || b.is_null())
    return !a.is_null() && b.is_null();
  if (a.is_string() && b.is_string())
    return is_text_before(a.get_ref<const std::string &>(),
                          b.get_ref<const std::string &>());
  return is_ascending ? number_of(a) < number_of(b)
                      : number_of(b) < number_of(a);
}

} // namespace

std::string column_names(std::span<const ReportColumn> columns) {
  std::string names;
  for (const ReportColumn &column : columns)
    names += (names.empty() ? "" : ", ") + std::string(column.name);
  return names;
}

std::size_t find_column(std::span<const ReportColumn> columns,
                        std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name)
      return i;
  throw Failure("--sort: {}: is no column of this report; it has: {}",
                printable(name), column_names(columns));
}

std::vector<std::size_t> sorted_rows(const std::vector<ReportRow> &rows,
                                     std::size_t number,
                                     const ReportColumn &column) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_less = [&](std::size_t a, std::size_t b) {
    return is_before(rows[a][number], rows[b][number], column.is_ascending);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_less(a, b) || (!is_less(b, a) && a < b);
  });
  return order;
}

Json row_json(std::span<const ReportColumn> columns, ReportRow row) {
  Json out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    out[columns[i].name] = std::move(row[i]);
  return out;
}

std::string table_csv(std::span<const ReportColumn> columns,
                      const std::vector<ReportRow> &rows) {
  std::string out;
  for (const ReportColumn &column : columns)
    out += (out.empty() ? "" : ",") + std::string(column.name);
  out += '\n';
  for (const ReportRow &row : rows) {
    for (const Json &cell : row) {
      if (cell.is_string())
        append_csv_text(out, valid_utf8(cell));
      else if (!cell.is_null())
        out += std::to_string(number_of(cell));
      out += ',';
    }
    out.back() = '\n';
  }
  return out;
}

} // namespace pagetide::tools
