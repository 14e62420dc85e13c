//===- run_report_testing.h - Reports on traces in memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "report/report_kinds.h"
#include "sample_traces.h"
#include "short_names.h"
#include "trace_testing.h"

#include <string>
#include <vector>

namespace pagetide::tools {

/// The report as programs read it.
inline Json json_of(const RunReport &report) {
  return Json::parse(dumped(report.json("")));
}

/// A member of that.
inline Json json_of(const RunReport &report, const char *member) {
  return json_of(report).at(member);
}

/// The first granule of the samples' heap.
inline constexpr std::uint64_t kSampleHeap = 0x555555600;

/// Adds what is selected of a trace. The run began with the samples.
inline void add_trace(RunReport &report, const Bytes &bytes,
                      const Selection &selection = {}) {
  SelectedTrace trace(reader_of(bytes), selection, kSampleStartNs);
  if (!selection.mapping.empty())
    trace.look_ahead([&] { return reader_of(bytes); });
  report.add(trace);
}

/// A list of one mapping.
inline Mappings one_mapping(const char *name, std::uint64_t first,
                            std::uint64_t pages) {
  return {kSampleStartNs, {{first << 12, pages << 12, 3, 0, name}}};
}

/// A period of the samples with the runs of one thread.
inline PeriodPart period_with(std::uint64_t index,
                              const std::vector<GranuleRun> &runs,
                              std::uint32_t tid = 0) {
  PeriodPart period = sample_period(index);
  if (!runs.empty())
    period.add_section(tid, runs);
  return period;
}

/// A trace of these periods, with these lists of mappings before the first one.
inline Bytes trace_with(const std::vector<PeriodPart> &periods,
                        const std::vector<Mappings> &mappings = {},
                        trace::FileHeader header = sample_header()) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  for (const Mappings &list : mappings)
    writer.write(list);
  for (const PeriodPart &period : periods)
    writer.write(period);
  writer.write(End{});
  return sink.bytes();
}

} // namespace pagetide::tools
