//===- mappings_report.h - Pages and periods of each mapping --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "analysis/report_limits.h"
#include "report/run_report.h"
#include "support/json.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// What was accessed in the mappings of one name.
struct MappingFigures {
  std::uint64_t granules = 0; ///< distinct
  std::uint64_t read = 0;     ///< distinct
  std::uint64_t written = 0;  ///< distinct
  std::uint64_t periods = 0;  ///< in which anything was accessed
  std::uint64_t sum = 0;      ///< of each period's granules
  bool is_lower_bound = false;
};

class MappingsReport : public RunReport {
public:
  const std::map<std::string, MappingFigures> &mappings() const {
    return mappings_;
  }

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  using Entry = std::pair<const std::string, MappingFigures>;

  const char *kind() const override { return "mappings"; }
  std::string title() const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  /// Those with the most granules first.
  std::vector<const Entry *> largest() const;

  /// Memory that processes share is the same pages in each: by device, inode
  /// and the place in it.
  struct SharedObject {
    explicit SharedObject(MemoryBudget &budget) : granules(budget) {}
    AccessSets granules;
    MappingFigures counted; ///< so far
  };

  MemoryBudget shared_budget_{kSetBytes};
  std::map<MappingNames::Object, SharedObject> shared_;
  std::map<std::string, MappingFigures> mappings_;
};

} // namespace pagetide::tools
