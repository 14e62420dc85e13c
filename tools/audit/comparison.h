//===- comparison.h - Which written pages no mark covers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares, period by period, the pages that the kernel saw written with those
// that were marked as written. The two are not taken at the same moment, and
// the mark of what a system call writes follows the write. So a page counts as
// covered if it is marked in the same period, the one before or the one after.

#pragma once

#include "audit/audit_result.h"
#include "audit/elf_image.h"
#include "trace/trace_reader.h"

namespace pagetide::tools {

/// Reads a whole trace. Throws Failure if the file is no trace.
Audit audit_trace(TraceReader reader, const ModuleLookup &look_up);

} // namespace pagetide::tools
