//===- trace_header.h - The beginning of a trace --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/trace_format.h"
#include "platform/page_vec.h"

namespace pagetide {

/// A header without the recording's settings, which the caller adds.
trace::FileHeader MakeHeader(u64 now);

/// Appends a RunId frame if `pagetide record` has named the run.
void EncodeRunId(PageVec<u8> &frames);

/// Appends a Process frame. `engine` is the engine's name.
void EncodeProcess(PageVec<u8> &frames, const char *engine);

/// Appends another if the command line is not that of the last one: programs
/// write titles over it. Looks once a second, or `at_once`.
void EncodeChangedProcess(PageVec<u8> &frames, const char *engine, u64 now,
                          bool at_once);

} // namespace pagetide
