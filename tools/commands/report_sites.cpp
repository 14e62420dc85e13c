//===- report_sites.cpp - pagetide report sites ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "commands/report_options.h"
#include "commands/report_run.h"
#include "report/sites_report.h"
#include "support/code_places.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

namespace {

CommandRun set_up_sites(CLI::App &app) {
  const KindOptions options = declare_kind(app, SitesReport(nullptr, {}));
  const auto source = std::make_shared<SourceRequest>();
  app.add_option("--annotate", source->file,
                 "Show this source file, with counts at its lines. The path is "
                 "as the compiler had it, or its last parts.")
      ->type_name("SOURCE")
      ->excludes(app.get_option("--csv"))
      ->excludes(app.get_option("--sort"));
  declare_source_path(app, source);
  return [options, source](const std::vector<std::string> &) {
    SitesReport report(read_code_places(), *source);
    return run_kind(options, report);
  };
}

} // namespace

extern const Command kReportSitesCommand = {
    "report sites",
    "The lines of source that touched pages, in programs built with a site "
    "layout",
    kKindUsage,
    "pagetide report sites --annotate sort.c run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or has no sites.",
    set_up_sites,
    kStatusFailed,
    false,
};

} // namespace pagetide::tools
