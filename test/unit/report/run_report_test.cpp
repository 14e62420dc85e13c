//===- run_report_test.cpp - What the reports on a run share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "run_report_testing.h"

#include "report/sites_report.h"
#include "report/wss_report.h"
#include "support/failure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

using Reports = std::vector<std::unique_ptr<RunReport>>;

/// Those that the trace can have.
Reports reports_for(const trace::FileHeader &header) {
  Reports reports;
  reports.push_back(make_processes_report());
  reports.push_back(make_mappings_report());
  reports.push_back(std::make_unique<WssReport>());
  reports.push_back(make_hot_report());
  if (header.checksum_mode != trace::ChecksumMode::kNone)
    reports.push_back(make_checksums_report());
  if (header.flags & trace::kHeaderPerThread)
    reports.push_back(make_threads_report());
  if (header.flags & trace::kHeaderSites)
    reports.push_back(std::make_unique<SitesReport>(
        [](const std::string &, std::uint64_t) { return CodePlace(); },
        SourceRequest()));
  return reports;
}

TEST(RunReport, LabelsInTablesHaveNoDirectories) {
  const auto label = [](const char *program, const char *command) {
    RunReport::Trace trace;
    trace.program = program;
    trace.short_command = command;
    return process_label(trace);
  };
  EXPECT_EQ(label("/usr/bin/gzip", "/usr/bin/gzip -9 /a/b"), "gzip -9 /a/b");
  EXPECT_EQ(label("/usr/bin/gzip", "/usr/bin/gzip"), "gzip");
  EXPECT_EQ(label("/usr/bin/gzip", "./bin/gzip -9"), "./bin/gzip -9");
  EXPECT_EQ(label("/usr/bin/gzip", "gzip -9"), "gzip -9");
  EXPECT_EQ(label("/usr/bin/gzip", "/bin/sh x"), "[gzip] /bin/sh x");
  // A server that writes what it does over its command.
  EXPECT_EQ(label("/opt/redis", "'/opt/redis *:6379' (and 3 empty words)"),
            "'redis *:6379' (and 3 empty words)");
  EXPECT_EQ(label("", "x"), "(unknown)");
}

TEST(RunReport, SeveralReportsOfOneReadingAreThoseOfTheirOwn) {
  Selection heap;
  heap.mapping = "[heap]";
  Selection writes;
  writes.writes = true;
  writes.from_ns = 500'000'000;
  std::size_t compared = 0;
  for (const SampleTrace &sample : sample_traces())
    for (const Selection &selection : {Selection(), heap, writes}) {
      SCOPED_TRACE(std::string(sample.name) + " " + selection.words());
      const Bytes bytes = sample.make();
      try {
        SelectedTrace trace(reader_of(bytes), selection, kSampleStartNs);
        if (!selection.mapping.empty())
          trace.look_ahead([&] { return reader_of(bytes); });
        const Reports together = reports_for(trace.header());
        std::vector<RunReport *> list;
        for (const std::unique_ptr<RunReport> &report : together)
          list.push_back(report.get());
        RunReport::add_to(list, trace);
        const Reports alone = reports_for(trace.header());
        for (std::size_t i = 0; i < alone.size(); ++i) {
          add_trace(*alone[i], bytes, selection);
          EXPECT_EQ(dumped(together[i]->json("")), dumped(alone[i]->json("")));
          ++compared;
        }
      } catch (const Failure &) {
        // It has no header, or not what is selected.
      }
    }
  EXPECT_GT(compared, 200u);
}

} // namespace
} // namespace pagetide::tools
