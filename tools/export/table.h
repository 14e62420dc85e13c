//===- table.h - Tables of an export, and where their rows go -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "analysis/selection.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// A value of a row. Texts are UTF-8 and belong to the table: they are valid
/// while the row is being written.
struct Cell {
  enum class Kind : std::uint8_t {
    kNone,    ///< not known, or does not apply
    kNumber,  ///< in decimal digits
    kAddress, ///< in hexadecimal digits after 0x
    kHash,    ///< likewise, always 16 digits
    kText,
    kName, ///< a text of few; `number` is that of the text within its trace
  };

  Kind kind = Kind::kNone;
  std::uint64_t number = 0;
  std::string_view text = {};

  static Cell of(std::uint64_t number) { return {Kind::kNumber, number}; }
  static Cell of(std::optional<std::uint64_t> number) {
    return number ? of(*number) : Cell();
  }
  static Cell address(std::uint64_t address) {
    return {Kind::kAddress, address};
  }
  static Cell hash(std::uint64_t hash) { return {Kind::kHash, hash}; }
  static Cell of(std::string_view text) { return {Kind::kText, 0, text}; }
};

struct Column {
  const char *name; ///< an interface: docs/reference/cli-output.md
  const char *help;
  /// Whether an export has it unless the user chooses columns.
  bool is_standard = true;
  bool is_text = false; ///< otherwise it has numbers
};

/// Takes the rows of one table. Formats derive from it.
class RowSink {
public:
  virtual ~RowSink() = default;
  virtual void begin_trace(const SelectedTrace &) {}
  /// `cells` has all columns of the table. The sink takes those that are
  /// chosen.
  virtual void row(const Cell *cells) = 0;
  /// The trace has been read to its end.
  virtual void end_trace(const SelectedTrace &) {}
};

/// Makes the rows of one table out of traces.
class TableSource {
public:
  explicit TableSource(RowSink &sink) : sink_(sink) {}
  virtual ~TableSource() = default;

  /// Before the trace is read. `number` counts the traces of the export from 1.
  void begin_trace(SelectedTrace &trace, std::uint64_t number) {
    trace_ = &trace;
    number_ = number;
    begin();
  }
  /// A frame that is no Period frame.
  virtual void see(const Frame &) {}
  /// What is selected of a part of a period.
  virtual void add(const PeriodPart &part) = 0;
  virtual void end_trace() = 0;

protected:
  /// A trace begins.
  virtual void begin() = 0;

  RowSink &sink_;
  SelectedTrace *trace_ = nullptr;
  std::uint64_t number_ = 0; ///< of the trace
};

/// A table, and the columns of it that the user has chosen.
struct Table {
  const char *name;
  const char *help;
  std::span<const Column> columns;
  /// `chosen` has the numbers of columns. Others need not be filled in.
  std::unique_ptr<TableSource> (*make)(std::span<const std::size_t> chosen,
                                       RowSink &sink);
};

/// Table::make of a source that needs all columns.
template <typename Source>
std::unique_ptr<TableSource> make_source(std::span<const std::size_t>,
                                         RowSink &sink) {
  return std::make_unique<Source>(sink);
}

/// The numbers of the standard columns.
std::vector<std::size_t> standard_columns(const Table &table);

/// The columns that a list of names chooses, in its order. "all" is all of
/// them, and a list that begins with "+" adds to the standard ones. Throws
/// Failure if a name is wrong.
std::vector<std::size_t> chosen_columns(const Table &table,
                                        std::string_view list);

/// Appends a JSON string. The text is UTF-8.
void append_json_text(fmt::memory_buffer &out, std::string_view text);

/// The text with what is not UTF-8 replaced by U+FFFD, and zero bytes too.
std::string valid_text(std::string_view text);

/// Null if the layout cannot tell.
inline Cell read_cell(const AccessCounts &counts, abi::Layout layout) {
  return abi::tells_writes(layout) && abi::records_reads(layout)
             ? Cell::of(counts.read)
             : Cell();
}
inline Cell written_cell(const AccessCounts &counts, abi::Layout layout) {
  return abi::tells_writes(layout) ? Cell::of(counts.written) : Cell();
}

/// 1 or 0.
inline Cell flag_cell(bool flag) { return Cell::of(std::uint64_t{flag}); }

// Each in a file of its name.
extern const Table kPagesTable;
extern const Table kPeriodsTable;
extern const Table kProcessesTable;
extern const Table kMappingsTable;
extern const Table kThreadsTable;
extern const Table kSitesTable;

/// All tables. The first one is what an export has unless the user asks for
/// another one.
std::span<const Table *const> export_tables();

/// The table of this name; null if there is none.
const Table *find_table(std::string_view name);

} // namespace pagetide::tools
