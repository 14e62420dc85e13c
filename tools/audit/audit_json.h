//===- audit_json.h - What an audit says, for programs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_AUDIT_AUDIT_JSON_H
#define PAGETIDE_TOOLS_AUDIT_AUDIT_JSON_H

#include "audit/audit_result.h"

#include <string>

namespace pagetide::tools {

/// One JSON object on one line, as docs/reference/cli-output.md describes it.
std::string audit_json(const Audit &audit);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_AUDIT_AUDIT_JSON_H
