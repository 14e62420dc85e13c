//===- strange_traces.h - Samples that are hard to read -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_writer.h"

namespace pagetide::tools {

Bytes make_changing();
Bytes make_earlier_minor();
Bytes make_damaged_inside();
Bytes make_hostile();
Bytes make_later_minor();
Bytes make_sites();
Bytes make_sites_access();

} // namespace pagetide::tools
