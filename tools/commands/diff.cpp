//===- diff.cpp - pagetide diff -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "commands/report_options.h"
#include "commands/report_run.h"
#include "compare/diff_text.h"
#include "compare/run_comparison.h"
#include "compare/wss_diff.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace pagetide::tools {

namespace {

struct DiffCommand {
  std::shared_ptr<ReportOptions> report = std::make_shared<ReportOptions>();
  std::shared_ptr<Selection> selection = std::make_shared<Selection>();
  DiffOptions diff;
  std::string a;
  std::string b;
  bool wss = false;
};

/// The traces of the run that a file belongs to.
std::vector<std::string> traces_of_run(const DiffCommand &command,
                                       const std::string &file) {
  ReportOptions options = *command.report;
  options.files = {file};
  return traces_of(options);
}

/// What is between the commas.
std::set<std::string> names_in(const std::string &list) {
  std::set<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');)
    names.insert(name);
  return names;
}

int run_diff(const DiffCommand &command) {
  DiffOptions options = command.diff;
  options.selection = *command.selection;
  options.top = std::max<std::size_t>(command.report->top, 1);
  check_selection(options.selection);
  const std::vector<std::string> a = traces_of_run(command, command.a);
  const std::vector<std::string> b = traces_of_run(command, command.b);
  ReportStyle style = style_of_terminal();
  style.top = command.report->top;
  TextOutput out;
  Verdict verdict;
  if (command.wss) {
    const WssComparison comparison(a, b, options);
    out.write(command.report->json ? comparison.json()
                                   : comparison.text(style));
    verdict = comparison.verdict();
  } else {
    const RunComparison comparison(a, b, options);
    out.write(command.report->json ? diff_json(comparison)
                                   : diff_text(comparison, style));
    verdict = comparison.verdict();
  }
  out.close();
  switch (verdict) {
  case Verdict::kEqual:
    return kStatusDone;
  case Verdict::kDifferent:
    return kStatusNegative;
  case Verdict::kUndecided:
    break;
  }
  return kStatusFailed;
}

CommandRun set_up_diff(CLI::App &app) {
  const auto command = std::make_shared<DiffCommand>();
  app.add_option("A", command->a,
                 "A trace of the first run. The traces of other processes of "
                 "the run (A.<pid>) are found by it.")
      ->required();
  app.add_option("B", command->b, "The same of the second run.")->required();
  app.add_flag("--relative", command->diff.relative,
               "Align pages by mapping and offset, not by address: for runs "
               "with address space randomisation.");
  app.add_flag("--whole", command->diff.whole,
               "Compare whole runs, not periods: all accessed pages, and the "
               "last checksum of each.");
  app.add_flag("--wss", command->wss, "Compare the sizes of the working sets.")
      ->excludes(app.get_option("--whole"));
  app.add_option_function<std::string>(
         "--ignore",
         [command](const std::string &names) {
           command->diff.ignored = names_in(names);
         },
         "Differences in mappings with these names do not count, as in "
         "[stack],libc.so.6.")
      ->type_name("NAME,...");
  declare_report_flags(app, command->report);
  declare_selection(app, command->selection);
  return [command](const std::vector<std::string> &) {
    return run_diff(*command);
  };
}

} // namespace

extern const Command kDiffCommand = {
    "diff",
    "Compare two runs: replicas, or before and after a change",
    "[OPTIONS] A B",
    "pagetide diff first.ptrace second.ptrace",
    "Exit status 0: the runs are equal; 1: they differ; 2: a file could not be "
    "read or compared, or no difference was found and not everything could be "
    "compared.",
    set_up_diff,
};

} // namespace pagetide::tools
