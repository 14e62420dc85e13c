//===- report_options.cpp - What all kinds of reports are told ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/report_options.h"

#include "analysis/selection.h"
#include "analysis/source_text.h"
#include "analysis/trace_files.h"
#include "commands/command.h"
#include "support/edit_distance.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pagetide::tools {

namespace {

std::string check_range(const std::string &text) {
  if (parse_range(text))
    return {};
  return fmt::format("{}: is not a range; write A, A:B, A: or :B, with A not "
                     "above B, in decimal or in hexadecimal after 0x",
                     text);
}

/// A missing FILE may be a kind of report that was typed wrongly, or at the
/// wrong place.
void check_for_kind(const std::string &file) {
  if (file.find('/') != std::string::npos || !files_named_after(file).empty())
    return;
  std::vector<std::string_view> kinds;
  for (const Command *kind : report_kinds())
    kinds.push_back(kind->last_word());
  const std::string_view meant = closest_word(file, kinds);
  if (!meant.empty())
    throw Failure("{}: there is no such file, and no such kind of report; did "
                  "you mean: pagetide report {}?\n"
                  "See: pagetide report --help",
                  printable(file), meant);
}

void add_time(CLI::App &app, const char *name, const char *help,
              const std::shared_ptr<Selection> &selection,
              std::uint64_t Selection::*time) {
  app.add_option_function<std::string>(
         name,
         [selection, time](const std::string &text) {
           (*selection).*time = *parse_duration(text);
         },
         help)
      ->type_name("TIME")
      ->check(CLI::Validator(
          [](std::string &text) {
            return parse_duration(text)
                       ? std::string()
                       : fmt::format("{}: is not a time; write a number and "
                                     "ns, us, ms, s, min or h, as in 1.5s",
                                     text);
          },
          ""));
}

} // namespace

CLI::Validator range_check() { return CLI::Validator(check_range, ""); }

static void declare_files(CLI::App &app,
                          const std::shared_ptr<ReportOptions> &options) {
  app.add_option("FILE", options->files,
                 "Traces. For each, the report also finds the traces of other "
                 "processes of its run (FILE.<pid>). [the newest in this "
                 "directory]");
}

static void declare_only(CLI::App &app,
                         const std::shared_ptr<ReportOptions> &options) {
  app.add_flag("--only", options->only,
               "Only these files, without other processes of their runs.");
}

void declare_traces(CLI::App &app,
                    const std::shared_ptr<ReportOptions> &options) {
  declare_files(app, options);
  declare_only(app, options);
}

void declare_report_flags(CLI::App &app,
                          const std::shared_ptr<ReportOptions> &options) {
  app.add_flag("--json", options->json,
               "One JSON document, described in docs/reference/cli-output.md.");
  declare_only(app, options);
  add_number(app, "--top", "N", "At most N lines in a table. [10]",
             [options](std::uint64_t top) { options->top = top; });
}

void declare_report_options(CLI::App &app,
                            const std::shared_ptr<ReportOptions> &options) {
  declare_files(app, options);
  declare_report_flags(app, options);
}

void declare_selection(CLI::App &app,
                       const std::shared_ptr<Selection> &selection) {
  add_time(app, "--from",
           "Only periods that end later than TIME after the run's start, as in "
           "1.5s or 200ms.",
           selection, &Selection::from_ns);
  add_time(app, "--to",
           "Only periods that begin earlier than TIME after the run's start.",
           selection, &Selection::to_ns);
  app.add_option_function<std::string>(
         "--address-range",
         [selection](const std::string &text) {
           selection->addresses = *parse_range(text);
         },
         "Only pages with one of these addresses, as in "
         "0x7f0000000000:0x7f00000fffff.")
      ->type_name("RANGE")
      ->check(range_check());
  app.add_option("--mapping", selection->mapping,
                 "Only pages of mappings with this name, or of the file with "
                 "this name in any directory, as in [heap] or libz.so.1.")
      ->type_name("NAME");
  add_number(app, "--thread", "TID",
             "Only accesses of this thread, in traces recorded with "
             "--per-thread.",
             [selection](std::uint64_t tid) { selection->tid = tid; });
  app.add_flag("--reads", selection->reads, "Only reads.");
  app.add_flag("--writes", selection->writes,
               "Only writes. With --reads: both, as without the two.");
}

std::vector<std::string> traces_of(const ReportOptions &options) {
  std::vector<std::string> traces;
  std::set<std::string> seen;
  const auto add = [&](const std::string &file) {
    if (seen.insert(file).second)
      traces.push_back(file);
  };
  std::vector<std::string> files = options.files;
  if (files.empty())
    files.push_back(newest_trace_here());
  else
    check_for_kind(files.front());
  for (const std::string &file : files) {
    RunFiles run;
    if (!options.only) {
      run = files_of_run(file);
      say_left_out(file, run);
    }
    // With --only, or if there is neither FILE nor a FILE.<pid>. In the second
    // case, opening FILE says so.
    if (run.traces.empty())
      add(file);
    for (const std::string &trace : run.traces)
      add(trace);
  }
  return traces;
}

std::uint64_t start_of_run(const std::vector<std::string> &traces) {
  std::uint64_t start_ns = UINT64_MAX;
  for (const std::string &trace : traces)
    if (const auto start = start_of_trace(trace))
      start_ns = std::min(start_ns, start->monotonic_ns);
  return start_ns;
}

void declare_source_path(CLI::App &app,
                         const std::shared_ptr<SourceRequest> &source) {
  app.add_option_function<std::vector<std::string>>(
         "--source-path",
         [source](const std::vector<std::string> &given) {
           for (const std::string &text : given) {
             const std::size_t at = text.find('=');
             source->moved.emplace_back(text.substr(0, at),
                                        text.substr(at + 1));
           }
         },
         "Sources whose paths began with OLD begin with NEW now. May be given "
         "several times.")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](std::string &text) {
            const std::size_t at = text.find('=');
            return at != std::string::npos && at != 0
                       ? std::string()
                       : fmt::format("{}: is not of the form OLD=NEW", text);
          },
          ""));
}

void check_selection(const Selection &selection) {
  if (selection.from_ns >= selection.to_ns)
    throw Failure("--from: {} is not before --to: {}; nothing is selected",
                  format_duration(selection.from_ns),
                  format_duration(selection.to_ns));
}

} // namespace pagetide::tools
