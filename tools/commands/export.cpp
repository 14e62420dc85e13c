//===- export.cpp - pagetide export ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/report_options.h"
#include "export/table.h"
#include "support/failure.h"
#include "support/progress.h"
#include "support/replaced_file.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "trace/spooled_pipe.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace pagetide::tools {

namespace {

constexpr const char kStandardInput[] = "-";

struct ExportOptions {
  std::vector<std::string> files;
  std::string format;
  std::string what;
  std::string columns;
  std::string output;
  bool run = false;
  std::shared_ptr<Selection> selection = std::make_shared<Selection>();
};

/// One of the traces to export.
struct ExportedTrace {
  std::string name;
  std::uint64_t run_start_ns = 0;
  std::function<TraceReader()> open;
};

/// 0 if it is not known.
std::uint64_t size_of(const std::string &file) {
  struct stat status;
  return ::stat(file.c_str(), &status) == 0
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

ExportedTrace standard_input() {
  ExportedTrace trace;
  trace.name = "standard input";
  struct stat status;
  if (::fstat(STDIN_FILENO, &status) != 0)
    throw Failure("standard input: is closed; give the trace to it, as in: "
                  "pagetide export --format csv - < run.ptrace");
  if (S_ISREG(status.st_mode)) {
    trace.open = [name = trace.name] {
      return TraceReader(
          std::make_unique<FileSource>(UniqueFd(::dup(STDIN_FILENO)), name),
          name);
    };
  } else {
    const auto spool = std::make_shared<SpooledPipe>(STDIN_FILENO, trace.name);
    trace.open = [spool, name = trace.name] {
      return TraceReader(SpooledPipe::reader(spool), name);
    };
  }
  trace.run_start_ns = trace.open().header().monotonic_ns;
  return trace;
}

/// Each file that the user names, and with --run the other traces of its run.
std::vector<ExportedTrace> exported_traces(const ExportOptions &options) {
  std::vector<ExportedTrace> traces;
  std::set<std::string> seen;
  std::vector<std::string> files = options.files;
  if (files.empty())
    files.push_back(newest_trace_here());
  for (const std::string &file : files) {
    if (file == kStandardInput) {
      if (seen.insert(file).second)
        traces.push_back(standard_input());
      continue;
    }
    ReportOptions of_file;
    of_file.files = {file};
    of_file.only = !options.run;
    const std::vector<std::string> names = traces_of(of_file);
    const std::uint64_t start_ns = start_of_run(names);
    for (const std::string &name : names)
      if (seen.insert(name).second)
        traces.push_back(
            {name, start_ns, [name] { return TraceReader::open(name); }});
  }
  return traces;
}

/// Throws Failure if the options do not go together.
ExportPlan checked_plan(const ExportOptions &options,
                        const ExportFormat &format) {
  const Selection &selection = *options.selection;
  check_selection(selection);
  ExportPlan plan;
  if (!format.has_table && !options.what.empty())
    throw Failure("--what: {} has a form of its own; leave --what out, or "
                  "choose another format",
                  format.name);
  if (!format.has_table && !options.columns.empty())
    throw Failure("--columns: {} has a form of its own; leave --columns out, "
                  "or choose another format",
                  format.name);
  plan.table =
      options.what.empty() ? export_tables().front() : find_table(options.what);
  plan.columns = chosen_columns(*plan.table, options.columns);
  plan.chose_reads = selection.reads;
  plan.chose_writes = selection.writes;
  plan.selected = selection.words();
  plan.path = options.output;
  return plan;
}

/// What was read of the trace has been written. Returns the exit status.
int status_of(const SelectedTrace &trace) {
  const Completeness &completeness = trace.completeness();
  if (!completeness.is_complete())
    say("{}: {}", printable(trace.path()), completeness.sentence());
  return completeness.integrity() == Integrity::kDamaged ? kStatusFailed
                                                         : kStatusDone;
}

int run_export(const ExportOptions &options) {
  const ExportFormat &format = *find_format(options.format);
  ExportPlan plan = checked_plan(options, format);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (format.makes_file && to_stdout)
    throw Failure(
        "{} cannot be written to standard output; name a file with --output",
        format.name);
  const std::vector<ExportedTrace> traces = exported_traces(options);
  for (const ExportedTrace &trace : traces)
    if (!to_stdout && are_one_file(trace.name, options.output))
      throw Failure("{}: is the trace itself; name another file for the rows",
                    options.output);

  std::unique_ptr<TextOutput> text;
  std::unique_ptr<Export> to;
  Progress progress;
  // On a terminal the rows themselves show that it goes on.
  const bool rows_are_seen = to_stdout && ::isatty(STDOUT_FILENO);
  SelectionMatch match;
  int status = kStatusDone;
  std::uint64_t number = 0;
  for (const ExportedTrace &each : traces) {
    std::unique_ptr<SelectedTrace> trace;
    try {
      trace = std::make_unique<SelectedTrace>(each.open(), *options.selection,
                                              each.run_start_ns);
    } catch (const Failure &failure) {
      // Export the other traces all the same.
      say("{}", failure.what());
      status = kStatusFailed;
      continue;
    }
    if (!to) {
      // Not before: if no trace can be read, an earlier export stays.
      if (!format.makes_file) {
        text = to_stdout ? std::make_unique<TextOutput>()
                         : std::make_unique<TextOutput>(options.output);
        plan.text = text.get();
      }
      to = format.make(plan);
    }
    const std::uint64_t bytes = size_of(each.name);
    export_trace(*trace, ++number, each.open, *to, [&] {
      if (!rows_are_seen)
        progress.at(each.name, trace->position(), bytes);
    });
    progress.clear();
    match.add(*trace);
    status = std::max(status, status_of(*trace));
  }
  match.require();
  if (to)
    to->finish();
  if (text)
    text->close();
  return status;
}

/// "a|b|c".
template <typename List> std::string alternatives(const List &list) {
  std::string names;
  for (const auto *each : list)
    names += (names.empty() ? "" : "|") + std::string(each->name);
  return names;
}

/// "a: what it is. b: what it is."
template <typename List> std::string explained(const List &list) {
  std::string text;
  for (const auto *each : list)
    text += fmt::format("{}{}: {}.", text.empty() ? "" : " ", each->name,
                        each->help);
  return text;
}

template <typename List> CLI::Validator one_of(const List &list) {
  std::vector<std::string> names;
  for (const auto *each : list)
    names.emplace_back(each->name);
  return CLI::IsMember(names).description("");
}

/// The columns that a table has besides the standard ones.
std::string further_columns(const Table &table) {
  std::string names;
  for (const Column &column : table.columns)
    if (!column.is_standard)
      names += (names.empty() ? "" : ", ") + std::string(column.name);
  return names;
}

CommandRun set_up_export(CLI::App &app) {
  const auto options = std::make_shared<ExportOptions>();
  app.add_option(
      "FILE", options->files,
      "Traces, one after another. - is a trace from standard input. [the "
      "newest in this directory]");
  app.add_option("-f,--format", options->format,
                 explained(export_formats()) +
                     " Described in docs/reference/cli-output.md.")
      ->type_name(alternatives(export_formats()))
      ->required()
      ->check(one_of(export_formats()));
  app.add_option("-o,--output", options->output,
                 "File for the export. [standard output]")
      ->type_name("OUT");
  app.add_option("--what", options->what,
                 explained(export_tables()) + " Of formats with rows. [" +
                     std::string(export_tables().front()->name) + "]")
      ->type_name(alternatives(export_tables()))
      ->check(one_of(export_tables()));
  app.add_option("--columns", options->columns,
                 "Columns in this order, with commas between them. +LIST adds "
                 "to the standard ones, and \"all\" is all. Rows of pages can "
                 "also have: " +
                     further_columns(*export_tables().front()) + ".")
      ->type_name("LIST");
  app.add_flag("--run", options->run,
               "Also the other processes of each FILE's run (FILE.<pid>).");
  app.add_option_function<std::string>(
         "--periods",
         [options](const std::string &text) {
           options->selection->periods = *parse_range(text);
         },
         "Only these periods, as in 3, 3:9, 3: or :9.")
      ->type_name("RANGE")
      ->check(range_check());
  declare_selection(app, options->selection);
  add_number(app, "--tid", "TID", "The same as --thread.",
             [options](std::uint64_t tid) { options->selection->tid = tid; });
  return [options](const std::vector<std::string> &) {
    return run_export(*options);
  };
}

} // namespace

extern const Command kExportCommand = {
    "export",
    "Write traces in other forms: rows, databases, counters, page runs",
    "--format FORMAT [OPTIONS] [FILE...]",
    "pagetide export --format csv -o rows.csv run.ptrace",
    "Exit status 0: done; 2: a file could not be read or exported, or is "
    "damaged (what can be read was written).",
    set_up_export,
};

} // namespace pagetide::tools
