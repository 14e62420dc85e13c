//===- report_table_test.cpp - Every kind of report as a table ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_table.h"
#include "support/failure.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

constexpr ReportColumn kColumns[] = {
    {"name"}, {"pages"}, {"start", true}, {"address"}};

std::vector<ReportRow> some_rows() {
  return {{"b", 5, 30, "0x9"},
          {"a,\"x\"", Json(), 10, "0x10"},
          {"c\xff", 7, 20, Json()},
          {"a", 5, 20, "0x1"}};
}

std::string names_by(const char *column) {
  const std::size_t number = find_column(kColumns, column);
  const std::vector<ReportRow> rows = some_rows();
  std::string names;
  for (const std::size_t row : sorted_rows(rows, number, kColumns[number]))
    names += rows[row][0].get<std::string>().front();
  return names;
}

TEST(ReportTable, RowsAreSortedByAColumn) {
  EXPECT_EQ(names_by("pages"), "cbaa") << "equal ones keep their order, and "
                                          "unknown ones come last";
  EXPECT_EQ(names_by("start"), "acab");
  EXPECT_EQ(names_by("name"), "aabc");
  EXPECT_EQ(names_by("address"), "abac") << "0x1, 0x9, 0x10, unknown";
}

TEST(ReportTable, AWrongColumnListsTheColumns) {
  try {
    find_column(kColumns, "size");
    FAIL() << "there is no such column";
  } catch (const Failure &failure) {
    EXPECT_STREQ(failure.what(),
                 "--sort: size: is no column of this report; it has: name, "
                 "pages, start, address");
  }
}

TEST(ReportTable, CsvQuotesTextsAndLeavesUnknownCellsEmpty) {
  EXPECT_EQ(table_csv(kColumns, some_rows()), "name,pages,start,address\n"
                                              "b,5,30,0x9\n"
                                              "\"a,\"\"x\"\"\",,10,0x10\n"
                                              "c\xef\xbf\xbd,7,20,\n"
                                              "a,5,20,0x1\n");
  EXPECT_EQ(table_csv(kColumns, {}), "name,pages,start,address\n");
}

TEST(ReportTable, ARowIsAnObject) {
  EXPECT_EQ(row_json(kColumns, some_rows()[0]).dump(),
            R"({"name":"b","pages":5,"start":30,"address":"0x9"})");
}

} // namespace
} // namespace pagetide::tools
