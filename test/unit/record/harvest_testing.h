//===- harvest_testing.h - A trace and the shadow of a dead process -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/harvest.h"

#include "sample_traces.h"
#include "shadow_file_maker.h"
#include "support/failure.h"
#include "trace_testing.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace pagetide::tools {

using shadow_file::kMaxPendingPeriods;
using shadow_file::SlotState;

constexpr std::uint64_t kHeap = 0x555555600000;
constexpr std::uint64_t kDeath = kSampleStartNs + 10'000'000'000;

/// A trace file and the shadow of the process that was writing it.
class HarvestTest : public testing::Test {
protected:
  /// Writes the trace and harvests.
  trace::EndReason reason_ = trace::EndReason::kKilled; ///< is expected

  HarvestResult run(const Bytes &trace, const ShadowFileMaker &shadow) {
    path_ = scratch_.write("trace", trace);
    // As the runtime has it: write-only, and at some offset.
    const UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    HarvestRequest request;
    request.memfd = shadow.fd();
    request.trace_fd = fd.get();
    request.trace_name = path_;
    request.end_detail = 256 + 9;
    request.now_ns = kDeath;
    return harvest(request);
  }

  std::string failure(const Bytes &trace, const ShadowFileMaker &shadow) {
    try {
      run(trace, shadow);
    } catch (const Failure &failure) {
      EXPECT_EQ(bytes_of_file(path_), trace) << "the trace was changed";
      return failure.what();
    }
    return "no failure";
  }

  WholeTrace harvested() {
    WholeTrace trace = read_all(TraceReader::open(path_));
    EXPECT_EQ(trace.integrity, Integrity::kComplete) << trace.stop_reason;
    if (!trace.frames.empty()) {
      EXPECT_EQ(trace.frames.back().type, trace::FrameType::kEnd);
      EXPECT_EQ(trace.frames.back().end.reason, reason_);
      EXPECT_EQ(trace.frames.back().end.detail, 256u + 9);
      EXPECT_EQ(trace.frames.back().end.time_ns, kDeath);
    }
    return trace;
  }
  std::map<std::uint64_t, WholePeriod> periods() {
    return periods_of(harvested());
  }
  std::string runs(std::uint64_t period, std::uint32_t tid = 0) {
    const auto all = periods();
    const auto found = all.find(period);
    if (found == all.end())
      return "no such period";
    const auto section = found->second.runs.find(tid);
    return section == found->second.runs.end() ? "" : text_of(section->second);
  }

  ScratchDirectory scratch_;
  std::string path_;
};

/// A header and the given periods without content.
inline Bytes trace_of(const std::vector<std::uint64_t> &periods,
                      const trace::FileHeader &header = sample_header()) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  for (const std::uint64_t index : periods) {
    PeriodPart period = sample_period(index);
    period.add_section(0, std::vector<GranuleRun>{{0x100 + index, 1, 1}});
    writer.write(period);
  }
  return sink.bytes();
}

} // namespace pagetide::tools
