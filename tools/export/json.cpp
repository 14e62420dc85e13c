//===- json.cpp - Rows as a JSON document ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/json.h"

#include "export/export_tables.h"
#include "export/json_row.h"
#include "export/table_export.h"
#include "support/json.h"
#include "trace/completeness_json.h"

#include <fmt/format.h>

namespace pagetide::tools {

namespace {

std::string json_header(const trace::FileHeader &header) {
  const Json json = {
      {"pid", header.pid},
      {"parent_pid", header.parent_pid},
      {"layout", abi::kLayoutNames[header.layout]},
      {"precision", precision_name(header)},
      {"granule_bytes", std::uint64_t{1} << header.granule_shift},
      {"page_bytes", header.page_bytes},
      {"per_thread", (header.flags & trace::kHeaderPerThread) != 0},
      {"checksum", checksum_mode_name(header.checksum_mode)},
      {"unstable", unstable_policy_name(header.unstable_policy)},
      {"monotonic_ns", header.monotonic_ns},
      {"realtime_ns", header.realtime_ns},
      {"period_ns", header.period_ns},
  };
  return json.dump();
}

/// The members of the first trace are those of the document. Each further trace
/// is an object of the same members in the array "more".
class JsonSink : public TextRowSink {
public:
  explicit JsonSink(const ExportPlan &plan) : TextRowSink(plan) {
    text_.write("{\"pagetide_export\":1");
  }

  void begin_trace(const SelectedTrace &trace) override {
    if (traces_ == 0)
      text_.write(",\n");
    else
      text_.write(traces_ == 1 ? ",\n\"more\":[\n{" : ",\n{");
    text_.write(fmt::format("\"header\":{},\n", json_header(trace.header())));
    if (&table_ != export_tables().front())
      text_.write(fmt::format("\"what\":\"{}\",\n", table_.name));
    text_.write("\"rows\":[");
    before_ = "\n";
  }

  void row(const Cell *cells) override {
    line_.clear();
    append_json_row(line_, table_, columns_, cells);
    text_.write(before_);
    text_.write({line_.data(), line_.size()});
    before_ = ",\n";
  }

  void end_trace(const SelectedTrace &trace) override {
    text_.write("\n]");
    Json account = completeness_json(trace.completeness());
    for (const std::string &name : account.names())
      text_.write(fmt::format(",\n\"{}\":{}", name, account[name].dump()));
    if (traces_ != 0)
      text_.write("}");
    ++traces_;
  }

  void finish() override { text_.write(traces_ > 1 ? "\n]}\n" : "}\n"); }

private:
  std::size_t traces_ = 0;
  const char *before_ = "\n"; ///< the next row
  fmt::memory_buffer line_;
};

} // namespace

const ExportFormat kJsonFormat = {
    "json",
    "an object with the trace's header, the rows, one per line, and what the "
    "trace lacks",
    true,
    false,
    [](const ExportPlan &plan) -> std::unique_ptr<Export> {
      return std::make_unique<TableExport>(plan,
                                           std::make_unique<JsonSink>(plan));
    },
};

} // namespace pagetide::tools
