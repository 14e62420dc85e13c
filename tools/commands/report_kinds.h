//===- report_kinds.h - pagetide report KIND ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "commands/report_options.h"

#include <string>
#include <vector>

namespace pagetide::tools {

/// The page that `pagetide report` shows of several traces: `pagetide report
/// processes` of all of them. Returns the exit status.
int report_processes(const ReportOptions &options,
                     const std::vector<std::string> &traces);

} // namespace pagetide::tools
