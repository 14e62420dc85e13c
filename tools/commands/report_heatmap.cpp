//===- report_heatmap.cpp - pagetide report heatmap -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "commands/report_options.h"
#include "commands/report_run.h"
#include "report/heatmap_report.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

namespace pagetide::tools {

namespace {

struct HeatmapOptions {
  KindOptions kind;
  std::shared_ptr<HeatResolution> resolution =
      std::make_shared<HeatResolution>();
  std::shared_ptr<std::string> output = std::make_shared<std::string>();
};

/// Reads "100x40", two numbers from 1 to HeatResolution::kMax.
std::optional<HeatResolution> parse_resolution(const std::string &text) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos)
    return std::nullopt;
  const auto columns = parse_number(std::string_view(text).substr(0, x));
  const auto rows = parse_number(std::string_view(text).substr(x + 1));
  const auto is_possible = [](const std::optional<std::uint64_t> &count) {
    return count && *count >= 1 && *count <= HeatResolution::kMax;
  };
  if (!is_possible(columns) || !is_possible(rows))
    return std::nullopt;
  return HeatResolution{*columns, *rows};
}

int run_heatmap(const HeatmapOptions &options) {
  using Form = HeatmapReport::Form;
  const ReportOptions &report_options = *options.kind.report;
  const Selection &selection = *options.kind.selection;
  const std::string &output = *options.output;
  if (!output.empty() && !output.ends_with(".svg"))
    throw Failure("-o: {}: the heatmap's file is an SVG; give it a name that "
                  "ends with .svg",
                  printable(output));
  const TableOptions &table = *options.kind.table;
  if (!table.sort.empty() && !table.csv)
    throw Failure(
        "--sort: a picture has no rows that could be sorted; give --csv too");
  check_selection(selection);
  const std::vector<std::string> traces = traces_of(report_options);
  ReportStyle style = style_of_terminal();
  style.top = report_options.top;
  const Form form = !output.empty()                    ? Form::kSvg
                    : report_options.json || table.csv ? Form::kJson
                                                       : Form::kText;
  HeatmapReport report(form, *options.resolution, style, traces.size());
  if (!table.sort.empty())
    report.sort_by(table.sort);
  const int status = add_traces(traces, selection, report);
  if (report.traces().empty())
    return kStatusFailed;
  report.lay_out();
  const std::uint64_t run_start = start_of_run(traces);
  for (std::size_t i = 0; i < report.traces().size(); ++i)
    if (report.shows(i))
      report.fill(
          i, *open_selected(report.traces()[i].path, selection, run_start));
  const std::string words = selection.words();
  TextOutput out = output.empty() ? TextOutput() : TextOutput(output);
  out.write(form == Form::kSvg    ? report.svg(words)
            : table.csv           ? csv_of(report)
            : form == Form::kJson ? dumped(report.json(words)) + "\n"
                                  : report.text(words, style));
  out.close();
  return status;
}

CommandRun set_up_heatmap(CLI::App &app) {
  HeatmapOptions options;
  options.kind = declare_kind(
      app, HeatmapReport(HeatmapReport::Form::kText, {}, ReportStyle(), 1));
  CLI::Option *output =
      app.add_option("-o,--output", *options.output,
                     "Write the picture as an SVG document, in place of the "
                     "drawing in letters.")
          ->type_name("OUT.svg");
  output->excludes(app.get_option("--json"));
  output->excludes(app.get_option("--csv"));
  app.add_option_function<std::string>(
         "--resolution",
         [resolution = options.resolution](const std::string &text) {
           *resolution = *parse_resolution(text);
         },
         "At most so many columns of time and rows of addresses, as in "
         "120x40. [what the terminal holds, 24 rows or more; SVG: 320x160; "
         "JSON: 200x100]")
      ->type_name("TIMExADDRESS")
      ->check(CLI::Validator(
          [](std::string &text) {
            return parse_resolution(text)
                       ? std::string()
                       : fmt::format("{}: is no resolution; write two numbers "
                                     "from 1 to {}, as in 120x40",
                                     text, HeatResolution::kMax);
          },
          ""));
  return [options](const std::vector<std::string> &) {
    return run_heatmap(options);
  };
}

} // namespace

extern const Command kReportHeatmapCommand = {
    "report heatmap",
    "A picture of which pages were read and written when, by mapping",
    kKindUsage,
    "pagetide report heatmap -o heat.svg run.ptrace",
    kKindStatuses,
    set_up_heatmap,
};

} // namespace pagetide::tools
