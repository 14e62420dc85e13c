//===- heatmap_report_test.cpp - Accesses by time and address -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/heatmap_report.h"

#include "report/heat_picture.h"
#include "run_report_testing.h"
#include "short_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagetide::tools {
namespace {

using Form = HeatmapReport::Form;

/// The report after both readings of the traces.
std::unique_ptr<HeatmapReport> heatmap_of(const std::vector<Bytes> &traces,
                                          Form form,
                                          const HeatResolution &resolution,
                                          const Selection &selection = {},
                                          ReportStyle style = {}) {
  auto report =
      std::make_unique<HeatmapReport>(form, resolution, style, traces.size());
  for (const Bytes &bytes : traces)
    add_trace(*report, bytes, selection);
  report->lay_out();
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (report->shows(i)) {
      SelectedTrace again(reader_of(traces[i]), selection, kSampleStartNs);
      report->fill(i, again);
    }
  return report;
}

/// Four periods of half a second: a heap of 8 pages and a stack far away.
Bytes two_mappings() {
  return trace_with(
      {period_with(0, {{16, 4, kW}, {1 << 20, 1, kR | kW}}),
       period_with(1, {{16, 8, kR}}), period_with(2, {}),
       period_with(3, {{20, 2, kW}, {22, 1, kR}, {1 << 20, 1, kR}})},
      {{kSampleStartNs,
        {{16 << 12, 8 << 12, 3, 0, "[heap]"},
         {std::uint64_t{1} << 32, 1 << 12, 3, 0, "[stack]"}}}});
}

TEST(HeatTime, EveryPeriodHasAColumnAndEveryColumnAPeriod) {
  // Fewer periods than columns, as many, and more.
  for (const std::size_t columns : {7, 10, 23, 100}) {
    const HeatTime time = HeatTime::of(0, 10 * 500, columns);
    ASSERT_LE(time.columns, columns);
    std::vector<int> seen(time.columns, 0);
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto [first, end] = time.columns_of(i * 500, (i + 1) * 500);
      EXPECT_LT(first, end) << columns;
      for (std::size_t column = first; column < end; ++column)
        ++seen[column];
    }
    for (const int count : seen)
      EXPECT_GE(count, 1) << columns;
    if (columns >= 10) {
      EXPECT_EQ(std::ranges::max(seen), 1) << columns;
    }
  }
}

TEST(HeatTime, NoTimeIsOutside) {
  const HeatTime time = HeatTime::of(1000, 2000, 10);
  EXPECT_EQ(time.columns_of(0, 100), std::pair(std::size_t{0}, std::size_t{1}));
  const auto beyond =
      time.columns_of(std::uint64_t{1} << 62, std::uint64_t{1} << 62);
  EXPECT_EQ(beyond.first, beyond.second);
  EXPECT_EQ(HeatTime::of(5, 5, 10).columns, 1u);
}

TEST(HeatRows, EachBandHasOneAndLongOnesHaveMore) {
  const AddressBands bands({{.first = 0, .end = 2, .label = "a"},
                            {.first = 100, .end = 1100, .label = "b"},
                            {.first = 5000, .end = 5300, .label = "c"}});
  std::vector<std::size_t> counts(3, 0);
  const std::vector<HeatRow> rows = heat_rows(bands, 20);
  for (const HeatRow &row : rows) {
    ++counts[row.band];
    EXPECT_LT(row.first, row.end);
  }
  EXPECT_LE(rows.size(), 20u);
  EXPECT_EQ(counts[0], 1u);
  EXPECT_GT(counts[1], 2 * counts[2]);
  EXPECT_EQ(rows.front().first, 0u);
  EXPECT_EQ(rows.back().end, 5300u);
  EXPECT_EQ(heat_rows(bands, 1).size(), 3u);
  EXPECT_EQ(heat_rows(AddressBands({{.first = 0, .end = 3}}), 50).size(), 3u);
  EXPECT_TRUE(heat_rows(AddressBands(), 50).empty());
}

TEST(TimeTicks, RoundAndNotTooMany) {
  const auto text_of = [](const std::vector<TimeTick> &ticks) {
    std::string text;
    for (const TimeTick &tick : ticks)
      text += tick.label + "|";
    return text;
  };
  EXPECT_EQ(text_of(time_ticks(0, 2'500 * kMs, 6)),
            "0 s|500 ms|1 s|1.5 s|2 s|2.5 s|");
  EXPECT_EQ(text_of(time_ticks(0, 65'000 * kMs, 4)), "0 s|20 s|40 s|60 s|");
  EXPECT_EQ(text_of(time_ticks(700 * kMs, 1'900 * kMs, 3)), "1 s|1.5 s|");
  EXPECT_LE(time_ticks(0, std::uint64_t{1} << 62, 5).size(), 5u);
}

TEST(HeatmapReport, ReadsWritesAndBothInTheirPlaces) {
  const auto report = heatmap_of({two_mappings()}, Form::kText, {4, 3});
  EXPECT_EQ(report->text("", ReportStyle()),
            "Heatmap: when which pages of 4 KiB were read and written\n"
            "  memory (complete): process 4242, 4 periods of 500 ms\n"
            "\n"
            "A column is 500 ms. A row is at most 4 pages (16 KiB). Addresses "
            "rise downwards;\n"
            "unused ones between the mappings are left out.\n"
            "\n"
            "  mapping         from\n"
            "  [heap]       0x10000 ├WR\n"
            "                       │ R B\n"
            "  [stack]  0x100000000 ├B  R\n"
            "                       └┬───\n"
            "           since start  0 s\n"
            "  Cells: r only read, w only written, b both\n"
            "  Capital letters: at least half of the row's pages, in a period "
            "on average.\n");
}

TEST(HeatmapReport, SmallLettersWhereLittleWasAccessed) {
  Selection selection;
  selection.reads = true;
  const auto report =
      heatmap_of({two_mappings()}, Form::kText, {4, 3}, selection);
  const std::string text = report->text("reads", ReportStyle());
  EXPECT_NE(text.find("│ R r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Cells: r read\n"), std::string::npos) << text;
}

TEST(HeatmapReport, ColoursOnlyIfTheTerminalHasThem) {
  ReportStyle style;
  style.colors = Colors::kMany;
  const auto report =
      heatmap_of({two_mappings()}, Form::kText, {4, 3}, {}, style);
  EXPECT_NE(report->text("", style).find("├\x1b[38;5;214m█\x1b[0m"),
            std::string::npos);
  style.colors = Colors::kFew;
  EXPECT_NE(report->text("", style).find("├\x1b[33m█\x1b[0m"),
            std::string::npos);
  EXPECT_EQ(report->text("", ReportStyle()).find('\x1b'), std::string::npos);
}

TEST(HeatmapReport, JsonCountsEachGranuleOfEachPeriod) {
  const auto report = heatmap_of({two_mappings()}, Form::kJson, {2, 3});
  const auto json = nlohmann::json::parse(dumped(report->json("")));
  EXPECT_EQ(json.at("pagetide_report_heatmap"), 1);
  EXPECT_EQ(json.at("column_ns"), 1000 * kMs);
  const auto &process = json.at("processes").at(0);
  EXPECT_EQ(process.at("periods"), nlohmann::json({2, 2}));
  EXPECT_EQ(process.at("bands").at(1).at("mapping"), "[stack]");
  const auto &rows = process.at("rows");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.at(0).at("accessed"), nlohmann::json({8, 0}));
  EXPECT_EQ(rows.at(1).at("accessed"), nlohmann::json({4, 3}));
  EXPECT_EQ(rows.at(1).at("written"), nlohmann::json({0, 2}));
  EXPECT_EQ(rows.at(2).at("read"), nlohmann::json({1, 1}));
  EXPECT_EQ(rows.at(2).at("address"), "0x100000000");
}

TEST(HeatmapReport, ProcessesHavePanelsOfOneTime) {
  const auto report =
      heatmap_of({two_mappings(), sample_trace("basic")}, Form::kText, {0, 0});
  const std::string text = report->text("", ReportStyle());
  EXPECT_NE(text.find("\nProcess 4242\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nProcess 4242: sorter\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Not shown"), std::string::npos) << text;
  ReportStyle one;
  one.top = 1;
  const auto largest = heatmap_of({two_mappings(), sample_trace("basic")},
                                  Form::kText, {0, 0}, {}, one);
  EXPECT_NE(largest->text("", one).find("Not shown: 1 more process, with fewer "
                                        "pages. --top shows more.\n"),
            std::string::npos)
      << largest->text("", one);
}

TEST(HeatmapReport, ProcessesThatAccessedNothingAreNamedAsSuch) {
  const auto one = heatmap_of({sample_trace("basic"), sample_trace("empty")},
                              Form::kText, {0, 0});
  const std::string text = one->text("", ReportStyle());
  EXPECT_EQ(text.find("Not shown"), std::string::npos) << text;
  EXPECT_NE(text.find("1 process accessed nothing.\n"), std::string::npos)
      << text;
  // A picture of nothing has no axis and no legend.
  const auto none = heatmap_of({sample_trace("empty")}, Form::kSvg, {0, 0});
  const std::string svg = none->svg("");
  EXPECT_NE(svg.find("Nothing was accessed."), std::string::npos) << svg;
  for (const char *other : {"Time since", "only read", "process", "A row is"})
    EXPECT_EQ(svg.find(std::string(">") + other), std::string::npos) << svg;
}

TEST(HeatmapReport, AThreadsOwnPicture) {
  Selection selection;
  selection.tid = 4243;
  const auto report =
      heatmap_of({sample_trace("threads")}, Form::kJson, {2, 10}, selection);
  const auto json =
      nlohmann::json::parse(dumped(report->json(selection.words())));
  std::uint64_t written = 0;
  for (const auto &row : json.at("processes").at(0).at("rows"))
    for (const auto &count : row.at("written"))
      written += count.get<std::uint64_t>();
  EXPECT_EQ(written, 2u);
}

TEST(HeatmapReport, SvgIsOneDocumentWithTitleAxesAndLegend) {
  trace::FileHeader header = sample_header();
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  writer.write(one_mapping("/tmp/<a&\"b>", 0, 64));
  writer.write(period_with(0, {{0, 40, kR}}));
  writer.write(End{});
  const auto report = heatmap_of({sink.bytes()}, Form::kSvg, {});
  const std::string svg = report->svg("");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char *part :
       {"Heatmap: when which pages of 4 KiB", "memory (complete)",
        "Time since the run's start", "only read", "only written", "both",
        "&lt;a&amp;&quot;b&gt;", "<path fill=\"#0072b2\" d=\"M"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("href"), std::string::npos);
}

TEST(HeatmapReport, SurvivesEverySample) {
  for (const SampleTrace &sample : sample_traces()) {
    const std::string name = sample.name;
    if (name == "damaged-header" || name == "other-version")
      continue;
    for (const std::size_t width : {60, 80, 120, 200}) {
      ReportStyle style;
      style.width = width;
      const auto text = heatmap_of({sample.make()}, Form::kText, {}, {}, style);
      EXPECT_EQ(text->text("", style).find('\x1b'), std::string::npos) << name;
    }
    const auto json = heatmap_of({sample.make()}, Form::kJson, {});
    EXPECT_FALSE(nlohmann::json::parse(dumped(json->json(""))).empty()) << name;
    const auto svg = heatmap_of({sample.make()}, Form::kSvg, {});
    EXPECT_TRUE(svg->svg("").ends_with("</svg>\n")) << name;
  }
}

} // namespace
} // namespace pagetide::tools
