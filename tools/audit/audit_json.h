//===- audit_json.h - What an audit says, for programs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "audit/audit_result.h"

#include <string>

namespace pagetide::tools {

/// One JSON object on one line, as docs/reference/cli-output.md describes it.
std::string audit_json(const Audit &audit);

} // namespace pagetide::tools
