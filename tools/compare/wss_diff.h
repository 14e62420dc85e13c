//===- wss_diff.h - The working sets of two runs, side by side ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "compare/run_comparison.h"
#include "report/report_style.h"
#include "report/wss_report.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Compares how much memory two runs used at a time. The runs may have
/// different numbers and lengths of periods.
class WssComparison {
public:
  /// Reads the traces. Throws Failure as RunComparison does.
  WssComparison(const std::vector<std::string> &a,
                const std::vector<std::string> &b, const DiffOptions &options);

  std::string text(const ReportStyle &style) const;
  std::string json() const;
  /// Equal if all sizes, and all numbers of distinct pages, are.
  Verdict verdict() const;

  const WssReport &a() const { return a_; }
  const WssReport &b() const { return b_; }
  /// Distinct granules of both runs by mappings. Of files the last part of the
  /// name.
  struct Sizes {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
  };
  const std::map<std::string, Sizes> &mappings() const { return mappings_; }
  /// Pages in one run only.
  const RunComparison &pages() const { return pages_; }

private:
  void write_answer(ReportLines &out) const;
  void write_sizes(ReportLines &out) const;
  void write_mappings(ReportLines &out) const;
  std::string bytes(std::uint64_t granules) const {
    return pages_.units().bytes(granules);
  }

  RunComparison pages_;
  WssReport a_;
  WssReport b_;
  std::map<std::string, Sizes> mappings_;
};

} // namespace pagetide::tools
