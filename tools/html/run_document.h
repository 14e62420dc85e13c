//===- run_document.h - The HTML document about a run ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_HTML_RUN_DOCUMENT_H
#define PAGETIDE_TOOLS_HTML_RUN_DOCUMENT_H

#include "html/html_assets.h"
#include "html/process_view.h"
#include "report/mappings_report.h"
#include "report/processes_report.h"
#include "report/threads_report.h"
#include "report/wss_report.h"
#include "support/text_output.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// Shows a run: what `report` says of all processes, and heatmaps of the
/// largest ones.
class RunDocument {
public:
  static constexpr std::size_t kMaxViews = 16;

  /// `run_start_ns` is when the first process began to record.
  RunDocument(const Selection &selection, std::uint64_t run_start_ns);

  /// Reads a trace for the tables and the curve of the run. Throws Failure if
  /// that cannot be done.
  void add(const std::string &file);
  const std::vector<RunReport::Trace> &traces() const {
    return processes_.traces();
  }
  /// Reads the largest traces again, for their heatmaps.
  void write(const HtmlAssets &assets, std::string_view version, TextSink &out);

private:
  std::unique_ptr<SelectedTrace> open(const std::string &file) const;
  std::string title() const;

  Selection selection_;
  std::uint64_t run_start_ns_;
  ProcessesReport processes_;
  MappingsReport mappings_;
  WssReport wss_;
  ThreadsReport threads_;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_HTML_RUN_DOCUMENT_H
