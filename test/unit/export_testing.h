//===- export_testing.h - Exports traces in memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "export/export.h"
#include "export/table.h"
#include "trace/byte_source.h"
#include "trace/trace_reader.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// What to export, and how.
struct ExportRequest {
  std::string format = "csv";
  std::string what = "pages";
  std::string columns = {}; ///< empty: the standard ones
  Selection selection = {};
};

/// Exports the bytes of one trace to a sink. `path` is for formats that write a
/// file themselves. Throws Failure as export does.
inline void export_bytes(std::span<const std::uint8_t> bytes,
                         const ExportRequest &request, TextSink &sink,
                         const std::string &path = {}) {
  const auto open = [bytes] {
    return TraceReader(std::make_unique<MemorySource>(bytes), "input");
  };
  const ExportFormat &format = *find_format(request.format);
  const std::uint64_t start_ns = open().header().monotonic_ns;
  SelectedTrace trace(open(), request.selection, start_ns);
  ExportPlan plan;
  plan.table = find_table(request.what);
  plan.columns = chosen_columns(*plan.table, request.columns);
  plan.chose_reads = request.selection.reads;
  plan.chose_writes = request.selection.writes;
  plan.text = &sink;
  plan.path = path;
  const std::unique_ptr<Export> to = format.make(plan);
  export_trace(trace, 1, open, *to);
  to->finish();
}

} // namespace pagetide::tools
