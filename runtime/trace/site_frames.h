//===- site_frames.h - Sites in the trace ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules with sites bring a table of them, which is the payload of a frame as
// it is. The runtime adds entries for calls of libc, by return address.

#pragma once

#include "platform/proc_maps.h"
#include "trace/trace_encode.h"

namespace pagetide {

/// A recording begins: the trace has no tables yet. On the recorder's thread.
void ForgetSiteTables();
/// Adds frames with what the trace does not know yet. `mappings` tells to which
/// files addresses belong. On the recorder's thread.
void AddSiteFrames(const MappingList &mappings, PageVec<u8> &frames);
/// Tells the trace of tables that came since, without waiting for the period's
/// end: a program that is killed needs them too. On the recorder's thread.
void WriteNewSiteTables();

} // namespace pagetide
