//===- text_tables.cpp - One table as text: CSV and JSON ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "support/escaped_text.h"
#include "support/json.h"
#include "trace/completeness_json.h"

#include <fmt/compile.h>

#include <iterator>

namespace pagetide::tools {

namespace {

void append(fmt::memory_buffer &out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

/// `quote` is around what is no number: JSON has no numbers in hexadecimal.
void append_cell(fmt::memory_buffer &out, const Cell &cell,
                 std::string_view quote) {
  switch (cell.kind) {
  case Cell::Kind::kNone:
    append(out, quote.empty() ? "" : "null");
    break;
  case Cell::Kind::kNumber: {
    const fmt::format_int digits(cell.number);
    append(out, {digits.data(), digits.size()});
    break;
  }
  case Cell::Kind::kAddress:
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{0}{1:#x}{0}"), quote,
                   cell.number);
    break;
  case Cell::Kind::kHash:
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{0}{1:#018x}{0}"),
                   quote, cell.number);
    break;
  case Cell::Kind::kText:
  case Cell::Kind::kName:
    if (quote.empty())
      append_csv_text(out, cell.text);
    else
      append_json_text(out, cell.text);
    break;
  }
}

/// Writes text for the rows of one table.
class TextRowSink : public RowSink {
public:
  explicit TextRowSink(const ExportPlan &plan)
      : table_(*plan.table), columns_(plan.columns), text_(*plan.text) {}
  /// After the last trace.
  virtual void finish() {}

protected:
  void write_line() { text_.write({line_.data(), line_.size()}); }

  const Table &table_;
  std::vector<std::size_t> columns_;
  TextSink &text_;
  fmt::memory_buffer line_;
};

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
      append_cell(line_, cells[column], "");
      line_.push_back(',');
    }
    line_[line_.size() - 1] = '\n';
    write_line();
  }
};

class JsonLinesSink : public TextRowSink {
public:
  using TextRowSink::TextRowSink;

  void row(const Cell *cells) override {
    append_row(cells);
    line_.push_back('\n');
    write_line();
  }

protected:
  /// An object with a member for each chosen column, as the only line.
  void append_row(const Cell *cells) {
    line_.clear();
    char before = '{';
    for (const std::size_t column : columns_) {
      line_.push_back(before);
      before = ',';
      line_.push_back('"');
      append(line_, table_.columns[column].name); // a plain word
      append(line_, "\":");
      append_cell(line_, cells[column], "\"");
    }
    line_.push_back('}');
  }
};

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
  return dumped(json);
}

class JsonSink : public JsonLinesSink {
public:
  explicit JsonSink(const ExportPlan &plan) : JsonLinesSink(plan) {
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
    append_row(cells);
    text_.write(before_);
    write_line();
    before_ = ",\n";
  }

  void end_trace(const SelectedTrace &trace) override {
    text_.write("\n]");
    const Json account = completeness_json(trace.completeness());
    for (const auto &[name, value] : account.items())
      text_.write(fmt::format(",\n\"{}\":{}", name, dumped(value)));
    if (traces_ != 0)
      text_.write("}");
    ++traces_;
  }

  void finish() override { text_.write(traces_ > 1 ? "\n]}\n" : "}\n"); }

private:
  std::size_t traces_ = 0;
  const char *before_ = "\n"; ///< the next row
};

/// Gives traces to the plan's table, and its rows to a sink.
template <typename Sink> class TableExport : public Export {
public:
  explicit TableExport(const ExportPlan &plan)
      : sink_(plan), source_(plan.table->make(plan.columns, sink_)) {}

  void begin_trace(SelectedTrace &trace, std::uint64_t number) override {
    trace_ = &trace;
    source_->begin_trace(trace, number);
    sink_.begin_trace(trace);
  }
  void see(const Frame &frame) override { source_->see(frame); }
  void add(const PeriodPart &part) override { source_->add(part); }
  void end_trace() override {
    source_->end_trace();
    sink_.end_trace(*trace_);
  }
  void finish() override { sink_.finish(); }

private:
  Sink sink_;
  std::unique_ptr<TableSource> source_;
  const SelectedTrace *trace_ = nullptr;
};

} // namespace

void append_json_text(fmt::memory_buffer &out, std::string_view text) {
  if (!is_plain_json(text)) {
    append(out, json_text(text));
    return;
  }
  out.push_back('"');
  append(out, text);
  out.push_back('"');
}

extern const ExportFormat kCsvFormat = {
    "csv", "a header line, then one line per row", true, false,
    make_export<TableExport<CsvSink>>};

extern const ExportFormat kJsonlFormat = {
    "jsonl", "a JSON object per line and row", true, false,
    make_export<TableExport<JsonLinesSink>>};

extern const ExportFormat kJsonFormat = {
    "json",
    "an object with the trace's header, the rows, one per line, and what the "
    "trace lacks",
    true, false, make_export<TableExport<JsonSink>>};

} // namespace pagetide::tools
