//===- fuzz_export.cpp - Parts of traces, exported and reported -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   { u8 bytes, text } for --periods, --address-range and --tid,
//   u16 for --top and --pages, u8 for the width of the terminal,
//   a trace, as fuzz_traces.h takes it
//
// The rows of a filtered export must be those rows of a whole one that the
// filter lets through, and CSV and JSON must say the same. JSON of all formats
// must be JSON. A database must be whole, and have the rows of CSV. Of each
// eight values of --top one makes a database, because that takes long.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary.h"
#include "audit/audit_report.h"
#include "audit/comparison.h"
#include "audit/elf_image.h"
#include "export/table.h"
#include "fuzz_traces.h"
#include "report/report_text.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace pagetide::tools;

namespace {

using Number = unsigned __int128;

//===- Ranges, read another way -------------------------------------------===//

std::optional<Number> digits(const std::string &text) {
  const bool hex = text.size() > 1 && text[0] == '0' && (text[1] | 32) == 'x';
  const std::string alphabet = "0123456789abcdef";
  Number value = 0;
  for (std::size_t i = hex ? 2 : 0; i < text.size(); ++i) {
    const char lower = text[i] >= 'A' && text[i] <= 'F'
                           ? static_cast<char>(text[i] + 32)
                           : text[i];
    const std::size_t digit = alphabet.find(lower);
    if (digit >= (hex ? 16u : 10u))
      return std::nullopt;
    value = value * (hex ? 16 : 10) + digit;
    if (value > UINT64_MAX)
      return std::nullopt;
  }
  return text.size() == (hex ? 2 : 0) ? std::nullopt : std::optional(value);
}

/// The range a text stands for; nothing if it is none.
std::optional<std::array<Number, 2>> range_in(const std::string &text) {
  const std::size_t colon = text.find(':');
  const auto first = digits(text.substr(0, colon));
  const auto last =
      digits(colon == std::string::npos ? text : text.substr(colon + 1));
  const bool no_first = colon == 0;
  const bool no_last = colon != std::string::npos && colon + 1 == text.size();
  if ((!first && !no_first) || (!last && !no_last) || (no_first && no_last))
    return std::nullopt;
  const std::array<Number, 2> range = {first.value_or(0),
                                       last.value_or(UINT64_MAX)};
  return range[0] > range[1] ? std::nullopt : std::optional(range);
}

NumberRange range_of(const std::string &text) {
  const auto range = parse_range(text);
  const auto expected = range_in(text);
  require(range.has_value() == expected.has_value(), "ranges are recognised");
  if (!range)
    return {};
  require(range->first == (*expected)[0] && range->last == (*expected)[1],
          "a range is what its text says");
  return *range;
}

//===- Rows ---------------------------------------------------------------===//

using Fields = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    require(end != std::string::npos, "lines end");
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Fields fields_of(const std::string &line) {
  Fields fields = {""};
  for (const char c : line)
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  require(fields.size() == 11, "a row has eleven fields");
  return fields;
}

bool lets_through(const Selection &filter, const Fields &row,
                  std::uint64_t granule_bytes) {
  const Number period = *digits(row[0]);
  const Number tid = *digits(row[4]);
  const Number first = *digits(row[5]);
  const Number last = first + granule_bytes - 1;
  return period >= filter.periods.first && period <= filter.periods.last &&
         last >= filter.addresses.first && first <= filter.addresses.last &&
         (!filter.tid || tid == *filter.tid);
}

void check_json(const std::string &text, const std::vector<std::string> &lines,
                bool complete) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  require(!document.is_discarded(), "the JSON can be read");
  require(document["complete"] == complete, "it says how the trace ended");
  require(document["problem"].is_null() == complete, "and why");
  const nlohmann::json &rows = document["rows"];
  require(rows.size() == lines.size() - 1, "it has the same rows");
  const auto as_text = [](const nlohmann::json &value) {
    return value.is_null()     ? ""
           : value.is_string() ? value.get<std::string>()
                               : value.dump();
  };
  static constexpr const char *kNames[] = {
      "period", "start_ns", "end_ns",   "pid",   "tid", "address",
      "read",   "written",  "checksum", "state", "may"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Fields fields = fields_of(lines[i + 1]);
    for (std::size_t j = 0; j < fields.size(); ++j)
      require(as_text(rows[i][kNames[j]]) == fields[j], "of the same fields");
  }
}

/// Other formats: what is written whole can be read.
void export_other_formats(const Bytes &bytes, const Selection &filter,
                          unsigned choice) {
  ExportRequest request;
  request.selection = filter;
  request.columns = "all";
  const std::span<const Table *const> tables = export_tables();
  request.what = tables[choice % tables.size()]->name;
  request.format = "csv";
  exported(bytes, request);
  request.format = "jsonl";
  const ExportedText rows = exported(bytes, request);
  if (rows.all)
    for (const std::string &line : lines_of(rows.text))
      require(!nlohmann::json::parse(line, nullptr, false).is_discarded(),
              "each line is JSON");
  request.format = "chrome-trace";
  const ExportedText counters = exported(bytes, request);
  require(
      !counters.all ||
          !nlohmann::json::parse(counters.text, nullptr, false).is_discarded(),
      "the counters are JSON");
  request.format = "page-runs";
  const ExportedText runs = exported(bytes, request);
  if (runs.all)
    for (const std::string &line : lines_of(runs.text))
      require(!nlohmann::json::parse(line, nullptr, false).is_discarded(),
              "each period is JSON");
}

/// The first value of the query's first row.
std::string asked(sqlite3 *database, const std::string &query) {
  sqlite3_stmt *statement = nullptr;
  require(sqlite3_prepare_v2(database, query.c_str(), -1, &statement,
                             nullptr) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW,
          "the database can be asked");
  const std::string text =
      reinterpret_cast<const char *>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return text;
}

void export_database(const Bytes &bytes, const Selection &filter) {
  ExportRequest request;
  request.selection = filter;
  const ExportedText rows = exported(bytes, request);
  if (!rows.all)
    return; // a run can be of 2^40 granules
  const std::string path =
      "fuzzed-" + std::to_string(static_cast<long>(getpid())) + ".db";
  unlink(path.c_str());
  request.format = "sqlite";
  class : public TextSink {
    void write(std::string_view) override {}
  } nothing; // the database is a file
  export_bytes(bytes, request, nothing, path);
  sqlite3 *database = nullptr;
  require(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY,
                          nullptr) == SQLITE_OK,
          "there is a database");
  require(asked(database, "PRAGMA integrity_check") == "ok", "it is whole");
  const auto lines = std::count(rows.text.begin(), rows.text.end(), '\n') - 1;
  for (const char *table : {"pages", "page_rows"})
    require(asked(database, std::string("SELECT count(*) FROM ") + table) ==
                std::to_string(lines),
            "it has the rows of CSV");
  require(asked(database,
                "SELECT count(*) FROM pages WHERE mapping IS NOT NULL "
                "AND mapping NOT IN (SELECT mapping FROM names)") == "0",
          "each mapping has a name");
  sqlite3_close(database);
  unlink(path.c_str());
}

void export_all_ways(const Bytes &bytes, const Selection &filter) {
  TraceReader reader = reader_of(bytes);
  const std::uint64_t granule_bytes = std::uint64_t{1}
                                      << reader.geometry().granule_shift;
  Frame frame;
  while (reader.next(frame)) {
  }
  const ExportedText some = exported(bytes, {.selection = filter});
  const ExportedText all = exported(bytes, {});
  const ExportedText json =
      exported(bytes, {.format = "json", .selection = filter});
  const std::vector<std::string> lines = lines_of(some.text);
  for (std::size_t i = 1; i < lines.size(); ++i)
    require(lets_through(filter, fields_of(lines[i]), granule_bytes),
            "the filter holds back what it should");
  if (some.all && json.all)
    check_json(json.text, lines, reader.completeness().is_complete());
  if (!all.all)
    return;
  require(some.all, "a part is no more than the whole");
  std::string expected;
  for (const std::string &line : lines_of(all.text))
    if (expected.empty() ||
        lets_through(filter, fields_of(line), granule_bytes))
      expected += line + "\n";
  require(some.text == expected, "the filter lets through what it should");
}

} // namespace

PAGETIDE_FUZZER(fuzz_export) {
  Selection filter;
  filter.periods = range_of(input.text(input.byte()));
  filter.addresses = range_of(input.text(input.byte()));
  const std::string tid = input.text(input.byte());
  filter.tid = parse_number(tid);
  require(filter.tid == digits(tid), "a number is what its text says");
  ReportStyle style;
  AuditStyle audit_style;
  style.top = audit_style.top = input.number(2);
  audit_style.pages = input.number(2);
  style.width = 60 + input.byte(); // style_of_terminal gives no less
  const Bytes bytes = trace_of(input);
  const unsigned choice = style.top;
  try {
    if (!(reader_of(bytes).header().flags & pagetide::trace::kHeaderPerThread))
      filter.tid.reset(); // it would be refused
    export_all_ways(bytes, filter);
    report_text(summarize(reader_of(bytes)), style);
    const auto nothing = [](const std::string &) { return ModuleFile(); };
    audit_text(audit_trace(reader_of(bytes), nothing), "input", audit_style);
    export_other_formats(bytes, filter, choice);
    if (choice % 8 == 0)
      export_database(bytes, filter);
  } catch (const Failure &failure) {
    // No trace, a header that is not possible, or a layout that the last
    // format cannot say.
    require(failure.what()[0] != '\0', "refusals are explained");
  }
}
