//===- window_estimate_test.cpp - Which windows are whole, and their mean -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/window_estimate.h"
#include "trace/runs.h"

#include <gtest/gtest.h>

#include <vector>

namespace pagetide::tools {
namespace {

void tell(WindowEstimate &windows, trace::ThreadEvent event, std::uint32_t tid,
          std::uint64_t time_ns) {
  Frame frame;
  frame.type = trace::FrameType::kThreads;
  frame.threads.records.push_back({event, tid, time_ns, ""});
  windows.see(frame);
}

/// A period that accessed granules [first, first + count).
void period(WindowEstimate &windows, std::uint64_t start_ns,
            std::uint64_t end_ns, std::uint64_t first, std::uint64_t count) {
  std::vector<GranuleRun> runs;
  append_run(runs, first, count, 0);
  windows.add_period({0, start_ns, end_ns}, runs);
}

using Event = trace::ThreadEvent;

TEST(MeanEstimate, HasStudentsBounds) {
  MeanEstimate few;
  for (const int value : {1, 2, 3, 4, 5})
    few.add(value);
  EXPECT_DOUBLE_EQ(few.mean(), 3);
  EXPECT_NEAR(few.high() - few.mean(), 1.9633, 0.001); // t = 2.7764
  MeanEstimate more;
  for (int i = 0; i < 12; ++i)
    more.add(i % 2 == 0 ? 10 : 20);
  EXPECT_NEAR(more.high() - more.mean(), 3.3182, 0.002); // t = 2.2010
  EXPECT_NEAR(more.mean() - more.low(), more.high() - more.mean(), 1e-9);
}

TEST(WindowEstimate, TakesPeriodsAfterTheLastThreadIsExact) {
  WindowEstimate windows;
  tell(windows, Event::kStart, 1, 0);
  tell(windows, Event::kStart, 2, 0);
  tell(windows, Event::kExactSince, 1, 110); // comes before its period
  period(windows, 100, 110, 0, 50);
  tell(windows, Event::kExactSince, 2, 120);
  period(windows, 110, 120, 0, 40);
  period(windows, 120, 130, 0, 5);
  period(windows, 130, 140, 3, 4);
  // After a gap: thread 2 says nothing.
  tell(windows, Event::kExactSince, 1, 210);
  period(windows, 200, 210, 0, 9);
  period(windows, 210, 220, 0, 9);
  // A thread that begins in the window is exact, and one that ends had said so.
  tell(windows, Event::kStart, 3, 305);
  tell(windows, Event::kExactSince, 1, 310);
  tell(windows, Event::kExactSince, 2, 310);
  period(windows, 300, 310, 0, 9);
  tell(windows, Event::kEnd, 2, 315);
  period(windows, 310, 320, 0, 9);
  windows.finish();
  EXPECT_EQ(windows.windows(), 3u);
  EXPECT_EQ(windows.whole(), 2u);
  EXPECT_DOUBLE_EQ(windows.sizes().mean(), (7 + 9) / 2.0);
  EXPECT_EQ(windows.mean_ns(), 15u);
}

TEST(WindowEstimate, AThreadThatEndsWithoutAWordSpoilsItsWindow) {
  WindowEstimate windows;
  tell(windows, Event::kStart, 1, 0);
  tell(windows, Event::kStart, 2, 0);
  tell(windows, Event::kExactSince, 1, 110);
  period(windows, 100, 110, 0, 9);
  tell(windows, Event::kEnd, 2, 112);
  period(windows, 110, 120, 0, 9);
  windows.finish();
  EXPECT_EQ(windows.windows(), 1u);
  EXPECT_EQ(windows.whole(), 0u);
}

} // namespace
} // namespace pagetide::tools
