//===- trace_texts.cpp - What record says of a trace ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/trace_texts.h"

#include "support/text_format.h"

#include <fmt/format.h>

namespace pagetide::tools {

std::string describe_trace(const ControlServer::Trace &trace) {
  std::string text =
      fmt::format("trace: {} ({})", printable(trace.path),
                  format_bytes(static_cast<double>(trace.bytes)));
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

} // namespace pagetide::tools
