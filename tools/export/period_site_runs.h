//===- period_site_runs.h - The sites of a period's granules --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/frame_decoder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pagetide::tools {

/// Keeps the sites of one period, which come before its granules, and finds
/// those of a granule.
class PeriodSiteRuns {
public:
  void begin_trace(bool per_thread);
  void see(const Frame &frame);

  /// Before the granules of a section. In a trace per process it has those of
  /// all threads.
  void begin_section(std::uint64_t period, std::uint32_t tid);
  /// The ids of a granule's sites, perhaps with trace::kSiteMay; 0 if there is
  /// none.
  struct Sites {
    std::uint32_t read = 0;
    std::uint32_t write = 0;
  };
  /// Granules must not fall within a section. Lowers `until` to the granule
  /// where the sites change.
  Sites at(std::uint64_t granule, std::uint64_t &until);

private:
  struct Cursor {
    const std::vector<SiteRun> *runs;
    std::size_t next = 0;
  };

  bool per_thread_ = false;
  std::uint64_t period_ = UINT64_MAX;
  std::size_t kept_ = 0;
  std::map<std::uint32_t, std::vector<SiteRun>> threads_;
  std::vector<Cursor> cursors_; ///< of the threads that count in the section
};

} // namespace pagetide::tools
