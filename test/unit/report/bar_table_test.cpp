//===- bar_table_test.cpp - Tables with bars at every width ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/bar_table.h"

#include "support/text_wrap.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pagetide::tools {
namespace {

BarTable sample() {
  BarTable table;
  table.label_heading = "from";
  table.headings = {"all", "written"};
  table.rows = {{"0 s", {"1,000", "500"}, {1000, 500}},
                {"1.5 s", {"250", "0"}, {250, 0}},
                {"2 s", {"1", "1"}, {1, 1}},
                {"3 s", {"0", "0"}, {0, 0}}};
  table.right_labels = true;
  table.axis_end = [](std::uint64_t) { return "4 MiB"; };
  table.dark_meaning = "written";
  table.light_meaning = "only read";
  return table;
}

TEST(BarTable, DrawsBarsOfTwoParts) {
  ReportStyle style;
  style.width = 47;
  EXPECT_EQ(draw_bars(sample(), style),
            "   from    all  written  0                4 MiB\n"
            "    0 s  1,000      500  ███████████▒▒▒▒▒▒▒▒▒▒▒\n"
            "  1.5 s    250        0  ▒▒▒▒▒▒\n"
            "    2 s      1        1  █\n"
            "    3 s      0        0\n"
            "  Bars: █ written, ▒ only read\n");
}

TEST(BarTable, NumbersAreCountsAndEmptyColumnsAreNotDrawn) {
  BarTable table = sample();
  table.has_bars = false;
  table.headings = {"all", "written", "read", "of all"};
  table.rows = {{"0 s", {1000u, nullptr, 5u, "100 %"}, {}},
                {"1 s", {0u, nullptr, nullptr, "0 %"}, {}}};
  EXPECT_EQ(draw_bars(table, {}), "  from    all  read  of all\n"
                                  "   0 s  1,000     5   100 %\n"
                                  "   1 s      0           0 %\n");
}

TEST(BarTable, SaysHowManyRowsAreLeftOut) {
  BarTable table = sample();
  table.has_bars = false;
  table.noun = "match";
  table.noun_ending = "es";
  ReportStyle style;
  style.top = 3;
  const auto last_line = [&] {
    const std::string text = draw_bars(table, style);
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(last_line(), "  and 1 more match\n");
  table.all_rows = 2003;
  EXPECT_EQ(last_line(), "  and 2,000 more matches\n");
  style.top = 4;
  table.all_rows = 0;
  EXPECT_EQ(last_line(), "    3 s      0        0\n");
  table.noun = nullptr;
  style.top = 1;
  EXPECT_EQ(last_line(), "    3 s      0        0\n");
}

TEST(BarTable, FallsBackToAscii) {
  ReportStyle style;
  style.width = 47;
  style.unicode = false;
  EXPECT_EQ(draw_bars(sample(), style),
            "   from    all  written  0                4 MiB\n"
            "    0 s  1,000      500  ###########===========\n"
            "  1.5 s    250        0  ======\n"
            "    2 s      1        1  #\n"
            "    3 s      0        0\n"
            "  Bars: # written, = only read\n");
}

TEST(BarTable, HasNoAxisIfThereIsNothingToDraw) {
  BarTable table = sample();
  for (BarRow &row : table.rows)
    row.bar = {0, 0};
  ReportStyle style;
  style.width = 47;
  EXPECT_EQ(draw_bars(table, style), "   from    all  written\n"
                                     "    0 s  1,000      500\n"
                                     "  1.5 s    250        0\n"
                                     "    2 s      1        1\n"
                                     "    3 s      0        0\n");
}

TEST(BarTable, LongPathsLeaveASixthForBars) {
  BarTable table = sample();
  table.right_labels = false;
  table.rows[0].label = std::string(100, 'x');
  ReportStyle style;
  style.width = 100;
  const std::string text = draw_bars(table, style);
  const std::size_t bar = text.find("500") + 3;
  EXPECT_GE(columns_of(text.substr(bar, text.find('\n', bar) - bar)), 16u)
      << text;
}

TEST(BarTable, FitsEveryWidth) {
  BarTable table = sample();
  table.right_labels = false;
  table.rows[1].label = "/a/path/that/is/much/longer/than/the/table/has/room";
  for (std::size_t width = 60; width <= 200; ++width) {
    ReportStyle style;
    style.width = width;
    std::istringstream lines(draw_bars(table, style));
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);)
      longest = std::max(longest, columns_of(line));
    EXPECT_EQ(longest, width);
  }
}

TEST(BarTable, CutsLabelsBeforeItDropsBars) {
  BarTable table = sample();
  table.rows[1].label = "/a/path/that/is/much/longer/than/the/table/has/room";
  ReportStyle style;
  style.width = 60;
  const std::string text = draw_bars(table, style);
  EXPECT_NE(text.find("  ...r/than/the/table/has/room "), std::string::npos)
      << text;
  EXPECT_NE(text.find("4 MiB"), std::string::npos) << text;
}

TEST(BarTable, LongLabelsCanHaveLinesOfTheirOwn) {
  BarTable table = sample();
  table.right_labels = false;
  table.long_labels_above = true;
  ReportStyle style;
  style.width = 47;
  BarTable usual = table;
  usual.long_labels_above = false;
  EXPECT_EQ(draw_bars(table, style), draw_bars(usual, style));
  table.rows = {{"a function whose name is long", {"1", "1"}, {4, 4}},
                {"a function whose name is longer", {"1", "0"}, {2, 0}}};
  EXPECT_EQ(draw_bars(table, style),
            "  from  all  written  0                   4 MiB\n"
            "  a function whose name is long\n"
            "          1        1  █████████████████████████\n"
            "  a function whose name is longer\n"
            "          1        0  ▒▒▒▒▒▒▒▒▒▒▒▒▒\n"
            "  Bars: █ written, ▒ only read\n");
}

TEST(BarTable, WithoutRoomThereAreNoBars) {
  BarTable table = sample();
  table.headings[1] = std::string(50, 'h');
  ReportStyle style;
  style.width = 60;
  const std::string text = draw_bars(table, style);
  EXPECT_EQ(text.find("█"), std::string::npos) << text;
  EXPECT_EQ(text.find("MiB"), std::string::npos) << text;
  EXPECT_EQ(text.find("Bars"), std::string::npos) << text;
}

} // namespace
} // namespace pagetide::tools
