//===- report_kinds.h - pagetide report KIND ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_COMMANDS_REPORT_KINDS_H
#define PAGETIDE_TOOLS_COMMANDS_REPORT_KINDS_H

#include "commands/report_options.h"

#include <string>
#include <vector>

namespace pagetide::tools {

/// The page that `pagetide report` shows of several traces: `pagetide report
/// processes` of all of them. Returns the exit status.
int report_processes(const ReportOptions &options,
                     const std::vector<std::string> &traces);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_COMMANDS_REPORT_KINDS_H
