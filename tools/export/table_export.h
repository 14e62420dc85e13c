//===- table_export.h - One table, in a format that has rows --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

#include <memory>

namespace pagetide::tools {

/// Writes text for the rows of one table.
class TextRowSink : public RowSink {
public:
  TextRowSink(const ExportPlan &plan)
      : table_(*plan.table), columns_(plan.columns), text_(*plan.text) {}
  /// After the last trace.
  virtual void finish() {}

protected:
  const Table &table_;
  std::vector<std::size_t> columns_;
  TextSink &text_;
};

/// Gives traces to the plan's table, and its rows to a sink.
class TableExport : public Export {
public:
  TableExport(const ExportPlan &plan, std::unique_ptr<TextRowSink> sink)
      : sink_(std::move(sink)),
        source_(plan.table->make(plan.columns, *sink_)) {}

  void begin_trace(SelectedTrace &trace, std::uint64_t number) override {
    trace_ = &trace;
    source_->begin_trace(trace, number);
    sink_->begin_trace(trace);
  }
  void see(const Frame &frame) override { source_->see(frame); }
  void add(const PeriodPart &part) override { source_->add(part); }
  void end_trace() override {
    source_->end_trace();
    sink_->end_trace(*trace_);
  }
  void finish() override { sink_->finish(); }

private:
  std::unique_ptr<TextRowSink> sink_;
  std::unique_ptr<TableSource> source_;
  const SelectedTrace *trace_ = nullptr;
};

} // namespace pagetide::tools
