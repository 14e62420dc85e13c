//===- export.h - What writes traces for other tools ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"
#include "export/table.h"
#include "support/text_output.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Takes traces one after another, and writes them in some format.
class Export {
public:
  virtual ~Export() = default;

  /// Before the trace is read. `number` counts the traces from 1.
  virtual void begin_trace(SelectedTrace &trace, std::uint64_t number) = 0;
  /// A frame that is no Period frame.
  virtual void see(const Frame &) {}
  /// What is selected of a part of a period.
  virtual void add(const PeriodPart &part) = 0;
  virtual void end_trace() = 0;
  /// After the last trace.
  virtual void finish() = 0;
};

/// What an export is told.
struct ExportPlan {
  const Table *table = nullptr;
  std::vector<std::size_t> columns; ///< of the table
  /// Whether the user chose a period's reads, or its writes, or both.
  bool chose_reads = false;
  bool chose_writes = false;
  /// Where text goes. Null if the format writes a file itself.
  TextSink *text = nullptr;
  std::string path;     ///< of the file, if the format writes it itself
  std::string selected; ///< what is selected, in words; empty if it is all
};

struct ExportFormat {
  const char *name;
  const char *help;
  /// Whether it writes a table, which the user chooses.
  bool has_table;
  /// Whether it writes a file itself, and so cannot write to a pipe.
  bool makes_file;
  std::unique_ptr<Export> (*make)(const ExportPlan &plan);
};

/// What ExportFormat::make is for most.
template <typename Kind>
std::unique_ptr<Export> make_export(const ExportPlan &plan) {
  return std::make_unique<Kind>(plan);
}

/// Reads the trace to its end and gives it to the export. `open` opens it once
/// more, and `progress` is called after each part of a period.
void export_trace(SelectedTrace &trace, std::uint64_t number,
                  std::function<TraceReader()> open, Export &to,
                  const std::function<void()> &progress = {});

// Each in a file of its name; those of text in text_tables.cpp.
extern const ExportFormat kCsvFormat;
extern const ExportFormat kJsonlFormat;
extern const ExportFormat kJsonFormat;
extern const ExportFormat kSqliteFormat;
extern const ExportFormat kChromeTraceFormat;
extern const ExportFormat kPageRunsFormat;

/// All formats, in the order of the help.
std::span<const ExportFormat *const> export_formats();

/// The format of this name; null if there is none.
const ExportFormat *find_format(std::string_view name);

} // namespace pagetide::tools
