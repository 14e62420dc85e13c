//===- export.cpp - pagetide export ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "commands/report_options.h"
#include "record/trace_files.h"
#include "report/row_export.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "trace/trace_reader.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

namespace pagetide::tools {

namespace {

struct ExportOptions {
  std::string file;
  std::string format;
  std::string output;
  std::string periods;
  std::string addresses;
  std::optional<std::uint64_t> tid;
};

bool are_one_file(const std::string &a, const std::string &b) {
  struct stat status_a;
  struct stat status_b;
  return ::stat(a.c_str(), &status_a) == 0 &&
         ::stat(b.c_str(), &status_b) == 0 &&
         status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

int run_export(ExportOptions options) {
  if (options.file.empty())
    options.file = newest_trace_here();
  RowFilter filter;
  if (const auto periods = parse_range(options.periods))
    filter.periods = *periods;
  if (const auto addresses = parse_range(options.addresses))
    filter.addresses = *addresses;
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

  const Completeness &completeness = reader.completeness();
  if (!completeness.is_complete())
    fmt::print(stderr, "pagetide: {}: {}\n", printable(reader.name()),
               completeness.sentence());
  return completeness.integrity() == Integrity::kDamaged ? kStatusFailed
                                                         : kStatusDone;
}

CommandRun set_up_export(CLI::App &app) {
  const auto options = std::make_shared<ExportOptions>();
  const CLI::Validator range = range_check();
  app.add_option("FILE", options->file,
                 "The trace. [the newest in this directory]");
  app.add_option(
         "-f,--format", options->format,
         "csv: a header line, then one line per row. json: an object with the "
         "trace's header and the rows, one per line. Both are described in "
         "docs/reference/cli-output.md.")
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
  add_number(app, "--tid", "TID", "Only rows of this thread.",
             [options](std::uint64_t tid) { options->tid = tid; });
  return [options](const std::vector<std::string> &) {
    return run_export(*options);
  };
}

} // namespace

extern const Command kExportCommand = {
    "export",
    "Write a trace as rows: one per period, thread and granule",
    "--format csv|json [OPTIONS] [FILE]",
    "pagetide export --format csv -o rows.csv run.ptrace",
    "Exit status 0: done; 2: the file could not be read, or is damaged (the "
    "rows that can be read were written).",
    set_up_export,
    kStatusFailed,
    false,
};

} // namespace pagetide::tools
