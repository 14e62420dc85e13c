//===- trace_texts.h - What record says of a trace ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/control_server.h"

#include <cstddef>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Where the trace is, its size, and what was done to complete it.
/// Processes choose the paths of their traces. The text is printable all the
/// same.
std::string describe_trace(const ControlServer::Trace &trace);

/// No more are named.
inline constexpr std::size_t kMaxListedTraces = 8;

/// Says where the traces are, each or all together. `first` has the run's name.
void list_traces(const std::vector<ControlServer::Trace> &traces,
                 const std::string &first);
void say_how_to_report(std::size_t traces, const std::string &first);

/// Both, of a run whose first trace was to be at `path`.
void say_traces(const std::vector<ControlServer::Trace> &traces,
                const std::string &path);

} // namespace pagetide::tools
