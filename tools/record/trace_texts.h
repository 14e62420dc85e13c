//===- trace_texts.h - What record says of a trace ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "record/control_server.h"

#include <string>

namespace pagetide::tools {

/// Where the trace is, its size, and what was done to complete it.
/// Processes choose the paths of their traces. The text is printable all the
/// same.
std::string describe_trace(const ControlServer::Trace &trace);

} // namespace pagetide::tools
