//===- csv.cpp - Rows as comma-separated values ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/csv.h"

#include "export/table_export.h"
#include "support/csv_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace pagetide::tools {

namespace {

void append_csv(fmt::memory_buffer &line, const Cell &cell) {
  switch (cell.kind) {
  case Cell::Kind::kNone:
    break;
  case Cell::Kind::kNumber: {
    const fmt::format_int digits(cell.number);
    line.append(digits.data(), digits.data() + digits.size());
    break;
  }
  case Cell::Kind::kAddress:
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{:#x}"), cell.number);
    break;
  case Cell::Kind::kHash:
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{:#018x}"),
                   cell.number);
    break;
  case Cell::Kind::kText:
  case Cell::Kind::kName:
    append_csv_text(line, cell.text);
    break;
  }
}

class CsvSink : public TextRowSink {
public:
  explicit CsvSink(const ExportPlan &plan) : TextRowSink(plan) {
    std::string header;
    for (const std::size_t column : columns_)
      header += (header.empty() ? "" : ",") +
                std::string(table_.columns[column].name);
    text_.write(header + "\n");
  }

  void row(const Cell *cells) override {
    line_.clear();
    for (const std::size_t column : columns_) {
      append_csv(line_, cells[column]);
      line_.push_back(',');
    }
    line_[line_.size() - 1] = '\n';
    text_.write({line_.data(), line_.size()});
  }

private:
  fmt::memory_buffer line_;
};

} // namespace

const ExportFormat kCsvFormat = {
    "csv",
    "a header line, then one line per row",
    true,
    false,
    [](const ExportPlan &plan) -> std::unique_ptr<Export> {
      return std::make_unique<TableExport>(plan,
                                           std::make_unique<CsvSink>(plan));
    },
};

} // namespace pagetide::tools
