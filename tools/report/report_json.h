//===- report_json.h - A summary for programs -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/summary.h"

#include <string>

namespace pagetide::tools {

/// One JSON object, as docs/reference/cli-output.md describes it.
std::string report_json(const Summary &summary);

} // namespace pagetide::tools
