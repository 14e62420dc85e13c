//===- html.cpp - pagetide html -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/selection.h"
#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/report_options.h"
#include "html/html_assets.h"
#include "html/run_document.h"
#include "support/code_places.h"
#include "support/failure.h"
#include "support/replaced_file.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace pagetide::tools {

namespace {

struct HtmlOptions {
  std::shared_ptr<ReportOptions> traces = std::make_shared<ReportOptions>();
  std::shared_ptr<Selection> selection = std::make_shared<Selection>();
  std::shared_ptr<SourceRequest> source = std::make_shared<SourceRequest>();
  bool no_source = false;
  std::string output;
};

int run_html(const HtmlOptions &options) {
  const std::vector<std::string> traces = traces_of(*options.traces);
  check_selection(*options.selection);
  const bool to_stdout = options.output == "-";
  for (const std::string &trace : traces)
    if (!to_stdout && are_one_file(trace, options.output))
      throw Failure(
          "{}: is a trace of the run itself; name another file for the HTML",
          printable(options.output));

  DocumentOptions shown;
  shown.selection = *options.selection;
  shown.source = *options.source;
  shown.shows_source = !options.no_source;
  RunDocument document(shown, start_of_run(traces), read_code_places());
  int status = kStatusDone;
  for (const std::string &file : traces) {
    try {
      document.add(file);
    } catch (const Failure &failure) {
      // Show the other traces all the same.
      say("{}", failure.what());
      status = kStatusFailed;
    }
  }
  if (document.traces().empty())
    return kStatusFailed;
  document.match().require();
  for (const RunReport::Trace &trace : document.traces()) {
    if (trace.completeness.is_complete())
      continue;
    say("{}: {}", printable(trace.path), trace.completeness.sentence());
    if (trace.completeness.integrity() == Integrity::kDamaged)
      status = kStatusFailed;
  }
  TextOutput out = to_stdout ? TextOutput() : TextOutput(options.output);
  document.write(kHtmlAssets, PAGETIDE_VERSION, out);
  out.close();
  return status;
}

CommandRun set_up_html(CLI::App &app) {
  const auto options = std::make_shared<HtmlOptions>();
  declare_traces(app, options->traces);
  app.add_option("-o,--output", options->output,
                 "File for the HTML. - is standard output.")
      ->type_name("OUT")
      ->required();
  declare_selection(app, options->selection);
  declare_source_path(app, options->source);
  app.add_flag("--no-source", options->no_source,
               "Show no lines of source files around the places that touched "
               "pages.");
  return [options](const std::vector<std::string> &) {
    return run_html(*options);
  };
}

} // namespace

extern const Command kHtmlCommand = {
    "html",
    "Make one HTML file to explore traces in a browser, offline",
    "[OPTIONS] [FILE...] -o OUT",
    "pagetide html run.ptrace -o run.html",
    "Exit status 0: done; 2: a file could not be read or shown, or is damaged "
    "(what can be read is shown).",
    set_up_html,
};

} // namespace pagetide::tools
