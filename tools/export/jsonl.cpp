//===- jsonl.cpp - Rows as JSON lines -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/jsonl.h"

#include "export/json_row.h"
#include "export/table_export.h"

namespace pagetide::tools {

namespace {

class JsonLinesSink : public TextRowSink {
public:
  using TextRowSink::TextRowSink;

  void row(const Cell *cells) override {
    line_.clear();
    append_json_row(line_, table_, columns_, cells);
    line_.push_back('\n');
    text_.write({line_.data(), line_.size()});
  }

private:
  fmt::memory_buffer line_;
};

} // namespace

const ExportFormat kJsonlFormat = {
    "jsonl",
    "a JSON object per line and row",
    true,
    false,
    [](const ExportPlan &plan) -> std::unique_ptr<Export> {
      return std::make_unique<TableExport>(
          plan, std::make_unique<JsonLinesSink>(plan));
    },
};

} // namespace pagetide::tools
