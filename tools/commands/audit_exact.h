//===- audit_exact.h - pagetide audit --exact -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/child_process.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

struct ExactAuditOptions {
  std::string directory; ///< for what the run leaves
  std::uint64_t period_ns = 0;
  std::string report; ///< file; empty: standard output
  bool json = false;
  std::size_t places = 0; ///< listed for each kind of fault
};

/// Runs the command in QEMU, and finds where its marks and its accesses differ.
/// Throws Failure.
ExitStatus run_exactly(const ExactAuditOptions &options,
                       const std::string &file,
                       const std::vector<std::string> &command);
/// Reports what was found. Returns the status of audit.
int report_exactly(const ExactAuditOptions &options,
                   const std::vector<std::string> &command);

} // namespace pagetide::tools
