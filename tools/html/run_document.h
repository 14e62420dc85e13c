//===- run_document.h - The HTML document about a run ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/source_text.h"
#include "html/html_assets.h"
#include "html/process_view.h"
#include "report/report_kinds.h"
#include "report/sites_report.h"
#include "report/wss_report.h"
#include "support/text_output.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// What a document shows besides what is in the traces.
struct DocumentOptions {
  Selection selection;
  SourceRequest source;
  bool shows_source = true;
  /// The document is never larger. Much below 1 MB there is no room for
  /// anything but tables.
  std::size_t max_bytes = 20'000'000;
};

/// Shows a run: what `report` says of all processes, and heatmaps of the
/// largest ones.
class RunDocument {
public:
  static constexpr std::size_t kMaxViews = 256;

  /// `run_start_ns` is when the first process began to record. `lookup` finds
  /// the source of calls of libc.
  RunDocument(const DocumentOptions &options, std::uint64_t run_start_ns,
              CodeLookup lookup);

  /// Reads a trace for the tables and the curve of the run. Throws Failure if
  /// that cannot be done.
  void add(const std::string &file);
  const std::vector<RunReport::Trace> &traces() const {
    return processes_->traces();
  }
  /// Whether any trace has what was asked for.
  const SelectionMatch &match() const { return match_; }
  /// Reads the largest traces again, for their heatmaps. What does not fit is
  /// shown coarser, and at last left out; the page says so.
  void write(const HtmlAssets &assets, std::string_view version, TextSink &out);

private:
  std::unique_ptr<SelectedTrace> open(const std::string &file) const;
  std::string title() const;
  std::string tables(std::string_view version, const SiteList &sites) const;

  DocumentOptions options_;
  std::uint64_t run_start_ns_;
  SelectionMatch match_;
  std::unique_ptr<RunReport> processes_ = make_processes_report();
  std::unique_ptr<RunReport> mappings_ = make_mappings_report();
  std::unique_ptr<RunReport> threads_ = make_threads_report();
  WssReport wss_;
  SitesReport sites_;
};

} // namespace pagetide::tools
