//===- process_view_test.cpp - What a document shows of one process -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/process_view.h"

#include "report/run_report_testing.h"
#include "support/failure.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uint64_t kHalfSecondUs = 500'000;

OrderedJson view_of(const Bytes &bytes, const Selection &selection = {},
                    const ViewLimits &limits = {}) {
  const ViewData data = view_process(
      [&] {
        return std::make_unique<SelectedTrace>(reader_of(bytes), selection,
                                               kSampleStartNs);
      },
      limits, nullptr);
  return OrderedJson::parse(data.json);
}

Bytes three_periods() {
  return trace_with(
      {period_with(0, {{kSampleHeap, 2, kR}}),
       period_with(1, {{kSampleHeap, 1, kW}, {kSampleHeap + 1, 3, kR | kW}}),
       period_with(3, {{kSampleHeap + 9, 1, kR}})},
      {one_mapping("[heap]", kSampleHeap, 100)});
}

TEST(ProcessView, BandsBinsAndNewPages) {
  const OrderedJson view = view_of(three_periods());
  EXPECT_EQ(view["periods"], 3);
  ASSERT_EQ(view["bands"].size(), 2u); // a hole of 5 among 5 pages is long
  EXPECT_EQ(view["bands"][0], (OrderedJson{{"first", kSampleHeap},
                                           {"end", kSampleHeap + 4},
                                           {"label", "[heap]"},
                                           {"more", 0}}));
  EXPECT_EQ(view["bins"]["start_us"],
            (OrderedJson{0, kHalfSecondUs, 3 * kHalfSecondUs}));
  EXPECT_EQ(view["bins"]["us"],
            (OrderedJson{kHalfSecondUs, kHalfSecondUs, kHalfSecondUs}));
  EXPECT_EQ(view["bins"]["accessed"], (OrderedJson{2, 4, 1}));
  EXPECT_EQ(view["bins"]["read"], (OrderedJson{2, 3, 1}));
  EXPECT_EQ(view["bins"]["written"], (OrderedJson{0, 4, 0}));
  EXPECT_EQ(view["bins"]["new"], (OrderedJson{2, 2, 1}));
  EXPECT_EQ(view["layers"].size(), 1u);
  EXPECT_EQ(view["layers"][0]["bins"], 3);
  EXPECT_EQ(view["layers"][0]["rows"], 5);
  EXPECT_EQ(view["pages"]["count"], 5);
}

TEST(ProcessView, TheSelection) {
  Selection selection;
  selection.from_ns = 500'000'000;
  selection.writes = true;
  const OrderedJson view = view_of(three_periods(), selection);
  EXPECT_EQ(view["bins"]["accessed"], (OrderedJson{4, 0}));
  EXPECT_EQ(view["bins"]["start_us"],
            (OrderedJson{kHalfSecondUs, 3 * kHalfSecondUs}));
  EXPECT_EQ(view["pages"]["count"], 4);
}

TEST(ProcessView, ThreadsHaveCoarserGridsIfThereIsNoRoom) {
  std::vector<PeriodPart> periods;
  for (std::uint64_t i = 0; i < 64; ++i) {
    PeriodPart period = sample_period(i);
    period.add_section(7, std::vector<GranuleRun>{{kSampleHeap, 64, kR}});
    period.add_section(8, std::vector<GranuleRun>{{kSampleHeap + 32, 32, kW}});
    periods.push_back(period);
  }
  const Bytes bytes = trace_with(
      periods, {one_mapping("[heap]", kSampleHeap, 64)}, per_thread_header());
  ViewLimits limits;
  limits.cells = 4096;
  limits.thread_cells = 2048;
  const OrderedJson view = view_of(bytes, {}, limits);
  ASSERT_EQ(view["layers"].size(), 3u);
  EXPECT_EQ(view["layers"][0]["granules_per_row"], 1);
  EXPECT_TRUE(view["layers"][0]["tid"].is_null());
  EXPECT_EQ(view["layers"][1]["tid"], 7); // it has more accesses
  for (const std::size_t layer : {1u, 2u}) {
    const OrderedJson &shown = view["layers"][layer];
    EXPECT_GT(shown["granules_per_row"], 1);
    EXPECT_EQ(shown["granules_per_row"], shown["periods_per_bin"]);
    EXPECT_LE(shown["bins"].get<int>() * shown["rows"].get<int>(), 1024);
  }
}

TEST(ProcessView, GridsAreMadeCoarserUntilTheyFit) {
  std::vector<PeriodPart> periods;
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::vector<GranuleRun> runs;
    for (std::uint64_t page = 0; page < 200; ++page) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (state >> 63)
        runs.push_back({kSampleHeap + page, 1, state >> 62 & 1 ? kR : kW});
    }
    periods.push_back(period_with(i, runs));
  }
  const Bytes bytes =
      trace_with(periods, {one_mapping("[heap]", kSampleHeap, 200)});
  EXPECT_EQ(view_of(bytes)["layers"][0]["rows"], 200);
  ViewLimits limits;
  limits.cells = 1 << 16;
  limits.packed_bytes = 3000;
  const OrderedJson small = view_of(bytes, {}, limits);
  EXPECT_LT(small["layers"][0]["rows"].get<int>() *
                small["layers"][0]["bins"].get<int>(),
            200 * 200 / 2);

  // Coarser grids are made of fine ones: the trace is read no more for them.
  int readings = 0;
  view_process(
      [&] {
        ++readings;
        return std::make_unique<SelectedTrace>(reader_of(bytes), Selection(),
                                               kSampleStartNs);
      },
      limits, nullptr);
  EXPECT_EQ(readings, 2);
}

TEST(ProcessView, ATraceWithoutPeriods) {
  const OrderedJson view = view_of(sample_trace("empty"));
  EXPECT_EQ(view["periods"], 0);
  EXPECT_TRUE(view["bands"].empty());
  EXPECT_EQ(view["pages"]["count"], 0);
}

TEST(ProcessView, EverySampleIsShownToItsEnd) {
  for (const SampleTrace &sample : sample_traces()) {
    SCOPED_TRACE(sample.name);
    try {
      const OrderedJson view = view_of(sample.make());
      EXPECT_EQ(view["bins"]["us"].size(), view["layers"][0]["bins"]);
    } catch (const Failure &failure) {
      const std::string name = sample.name;
      EXPECT_TRUE(name == "damaged-header" || name == "other-version")
          << failure.what();
    }
  }
}

} // namespace
} // namespace pagetide::tools
