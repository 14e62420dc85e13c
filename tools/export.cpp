//===- export.cpp - pagetide export ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "failure.h"
#include "row_export.h"
#include "text_output.h"
#include "trace_reader.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

namespace pagetide::tools {

namespace {

struct ExportOptions {
  std::string file;
  std::string format;
  std::string output;
  std::string periods;
  std::string addresses;
  std::optional<std::uint32_t> tid;
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Reads "A", "A:B", "A:" or ":B". Both ends belong to the range.
bool parse_range(std::string_view text, std::uint64_t &first,
                 std::uint64_t &last) {
  const std::size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  const std::string_view to =
      colon == std::string_view::npos ? from : text.substr(colon + 1);
  if (from.empty() && to.empty())
    return false;
  if (!from.empty()) {
    const auto value = parse_number(from);
    if (!value)
      return false;
    first = *value;
  }
  if (!to.empty()) {
    const auto value = parse_number(to);
    if (!value)
      return false;
    last = *value;
  }
  return first <= last;
}

std::string check_range(const std::string &text) {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
  if (parse_range(text, first, last))
    return {};
  return fmt::format("{}: is no range; write A, A:B, A: or :B with A not above "
                     "B, decimal or 0x and hexadecimal",
                     text);
}

bool are_one_file(const std::string &a, const std::string &b) {
  struct stat status_a;
  struct stat status_b;
  return ::stat(a.c_str(), &status_a) == 0 &&
         ::stat(b.c_str(), &status_b) == 0 &&
         status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

int run_export(const ExportOptions &options) {
  RowFilter filter;
  if (!options.periods.empty())
    parse_range(options.periods, filter.first_period, filter.last_period);
  if (!options.addresses.empty())
    parse_range(options.addresses, filter.first_address, filter.last_address);
  filter.tid = options.tid;
  const RowFormat format =
      options.format == "json" ? RowFormat::kJson : RowFormat::kCsv;

  TraceReader reader = TraceReader::open(options.file);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (!to_stdout && are_one_file(options.file, options.output))
    throw Failure(fmt::format("{}: is the trace itself; name another file for "
                              "the rows",
                              options.output));
  TextOutput out = to_stdout ? TextOutput() : TextOutput(options.output);
  export_rows(reader, format, filter, out);
  out.close();

  if (reader.integrity() != Integrity::kComplete)
    fmt::print(stderr, "pagetide: {}\n", reader.stop_message());
  return reader.integrity() == Integrity::kDamaged ? kStatusFailed
                                                   : kStatusDone;
}

CommandRun set_up(CLI::App &app) {
  const auto options = std::make_shared<ExportOptions>();
  const CLI::Validator range(
      [](std::string &text) { return check_range(text); }, "");
  app.add_option("FILE", options->file, "The trace.")->required();
  app.add_option(
         "-f,--format", options->format,
         "csv: a header line, then a line for each row; json: an object "
         "with the trace's header and the rows, one a line. Both are "
         "described in docs/cli-output.md.")
      ->type_name("csv|json")
      ->required()
      ->check(CLI::IsMember({"csv", "json"}).description(""));
  app.add_option("-o,--output", options->output,
                 "File for the rows. [standard output]")
      ->type_name("OUT");
  app.add_option("--periods", options->periods,
                 "Only these periods, as in 3, 3:9, 3: or :9.")
      ->type_name("RANGE")
      ->check(range);
  app.add_option("--address-range", options->addresses,
                 "Only granules with one of these addresses, as in "
                 "0x7f0000000000:0x7f00000fffff.")
      ->type_name("RANGE")
      ->check(range);
  app.add_option("--tid", options->tid, "Only rows of this thread.")
      ->type_name("TID");
  return [options](const std::vector<std::string> &) {
    return run_export(*options);
  };
}

} // namespace

extern const Command kExportCommand = {
    "export",
    "Write a trace as rows: one a period, thread and granule",
    "--format csv|json [OPTIONS] FILE",
    "pagetide export --format csv -o rows.csv run.ptrace",
    "Exit status 0: done; 2: the file could not be read, or is damaged (what "
    "comes before the damage was written).",
    set_up,
    kStatusFailed,
    false,
};

} // namespace pagetide::tools
