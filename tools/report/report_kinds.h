//===- report_kinds.h - The kinds of reports ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is in the file of its name. Kinds of which others take more than text,
// JSON and rows have headers: wss, sites and heatmap.

#pragma once

#include "analysis/report_limits.h"
#include "report/run_report.h"

#include <cstddef>
#include <memory>

namespace pagetide::tools {

/// Stretches of time, if the user does not say how many.
inline constexpr std::size_t kStretches = 20;

/// What writes changed, and what they did not.
std::unique_ptr<RunReport>
make_checksums_report(std::size_t max_stretches = kStretches,
                      std::size_t table_bytes = kTableBytes);
/// How often, and how lately, pages were accessed.
std::unique_ptr<RunReport>
make_hot_report(std::size_t table_bytes = kTableBytes);
/// Pages and periods of each mapping.
std::unique_ptr<RunReport> make_mappings_report();
/// The processes of a run, side by side.
std::unique_ptr<RunReport> make_processes_report();
/// Private and shared pages of threads.
std::unique_ptr<RunReport>
make_threads_report(std::size_t table_bytes = kTableBytes);

} // namespace pagetide::tools
