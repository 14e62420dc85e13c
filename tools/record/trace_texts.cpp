//===- trace_texts.cpp - What record says of a trace ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/trace_texts.h"

#include "support/say.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace pagetide::tools {

std::string describe_trace(const ControlServer::Trace &trace) {
  std::string text = fmt::format("trace: {} ({})", printable(trace.path),
                                 format_bytes(trace.bytes));
  if (!trace.missing.empty())
    text += ", INCOMPLETE: " + trace.missing;
  if (!trace.failure.empty())
    return text + fmt::format("; process {} died, and its last periods could "
                              "not be added",
                              trace.pid);
  const HarvestResult &harvest = trace.harvest;
  if (harvest.was_complete || harvest.had_all_periods ||
      harvest.ends_early) // what is missing says why
    return text;
  text +=
      trace.missing.empty()
          ? fmt::format(", completed after the death of process {}", trace.pid)
          : fmt::format("; process {} died", trace.pid);
  if (harvest.whole_periods != 0)
    text += fmt::format("; added {} whole period{}", harvest.whole_periods,
                        plural(harvest.whole_periods));
  if (harvest.partial_period)
    text += fmt::format("; its last, partial period has {} granule{}",
                        format_count(harvest.partial_granules),
                        plural(harvest.partial_granules));
  return text;
}

void list_traces(const std::vector<ControlServer::Trace> &traces,
                 const std::string &first) {
  for (const ControlServer::Trace &trace : traces)
    if (!trace.failure.empty())
      say("{}", trace.failure);
  if (traces.size() <= kMaxListedTraces) {
    for (const ControlServer::Trace &trace : traces)
      say("{}", describe_trace(trace));
  } else {
    double bytes = 0;
    std::size_t completed = 0;
    std::size_t incomplete = 0;
    for (const ControlServer::Trace &trace : traces) {
      bytes += static_cast<double>(trace.bytes);
      completed += !trace.harvest.was_complete;
      incomplete += !trace.missing.empty();
    }
    std::string note = completed == 0
                           ? ""
                           : fmt::format("; {} completed after the death of "
                                         "their processes",
                                         completed);
    if (incomplete != 0)
      note += fmt::format("; {} INCOMPLETE", incomplete);
    say("traces: {} and {} more, named {}.<pid> ({} in all{})",
        printable(first), traces.size() - 1, printable(first),
        format_bytes(bytes), note);
  }
}

void say_how_to_report(std::size_t traces, const std::string &first) {
  say("see {} with: {}", traces == 1 ? "it" : "them", report_command(first));
}

void say_traces(const std::vector<ControlServer::Trace> &traces,
                const std::string &path) {
  if (traces.empty())
    return;
  // Another run may have taken the name meanwhile.
  const std::string wanted = std::filesystem::absolute(path).string();
  const bool has = std::ranges::any_of(
      traces, [&](const auto &trace) { return trace.path == wanted; });
  const std::string first = has ? path : traces.front().path;
  list_traces(traces, first);
  say_how_to_report(traces.size(), first);
}

} // namespace pagetide::tools
