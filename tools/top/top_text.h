//===- top_text.h - What pagetide top shows -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "report/report_style.h"
#include "top/live_processes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

/// What comes first in lists.
enum class TopOrder {
  kAccessed,
  kRead,
  kWritten,
  kNumber, ///< of processes and threads, rising; mappings by accessed
  kName,
};

struct TopView {
  ReportStyle style; ///< `top` is for each table of one process
  TopOrder order = TopOrder::kAccessed;
  std::size_t curve_height = 6;
  std::uint64_t now_ns = 0; ///< CLOCK_MONOTONIC
  std::string clock;        ///< the time of day
};

/// What is shown at this moment on this terminal.
TopView view_now(TopOrder order);

/// The list of processes: lines, of which some are about one process each.
struct ProcessList {
  std::string text;
  std::size_t first_row = 0; ///< the line of processes[0]
  std::vector<const LiveProcess *> processes;
};
ProcessList list_text(const LiveProcesses &processes, const TopView &view);

/// All about one process.
std::string process_text(const LiveProcess &process, const TopView &view);

} // namespace pagetide::tools
