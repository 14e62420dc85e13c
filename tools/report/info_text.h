//===- info_text.h - What is in a trace file, for people ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_reader.h"

#include <string>

namespace pagetide::tools {

/// Reads a trace to its end and describes it.
std::string info_text(TraceReader &reader);

} // namespace pagetide::tools
