//===- trace_texts.h - What record says of a trace ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_TRACE_TEXTS_H
#define PAGETIDE_TOOLS_RECORD_TRACE_TEXTS_H

#include "record/control_server.h"

#include <string>

namespace pagetide::tools {

// Processes choose the paths of their traces. These texts are printable all the
// same.

/// Where the trace is, its size, and what was done to complete it.
std::string describe_trace(const ControlServer::Trace &trace);

/// The command that shows a trace, as one types it in a shell.
std::string report_command(const std::string &path);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_TRACE_TEXTS_H
