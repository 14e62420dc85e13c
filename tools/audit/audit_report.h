//===- audit_report.h - What an audit says, for people --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "audit/audit_result.h"

#include <cstddef>
#include <string>

namespace pagetide::tools {

struct AuditStyle {
  std::size_t top = 10;  ///< mappings in the table
  std::size_t pages = 4; ///< ranges of pages listed for each mapping
};

/// `title` stands for the process or processes in the first line.
std::string audit_text(const Audit &audit, const std::string &title,
                       const AuditStyle &style);

/// One JSON object on one line, as docs/reference/cli-output.md describes it.
std::string audit_json(const Audit &audit);

} // namespace pagetide::tools
