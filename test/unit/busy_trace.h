//===- busy_trace.h - A sample that has something of everything -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "sample_traces.h"

namespace pagetide::tools {

/// A program with three threads, several mappings and checksums, in 64 periods:
/// what every report has something to say of. Never changes between runs.
Bytes make_busy();

/// A child of it, killed.
Bytes make_busy_child();

} // namespace pagetide::tools
