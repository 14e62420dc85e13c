//===- run_report.cpp - What the reports on the traces of a run share -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/run_report.h"

#include "support/failure.h"
#include "support/text_format.h"
#include "trace/completeness_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxProblems = 3; ///< incomplete traces that are named

} // namespace

Json json_if(bool known, std::uint64_t number) {
  return known ? Json(number) : Json();
}

RunReport::Trace facts_of(const SelectedTrace &trace) {
  RunReport::Trace facts;
  facts.path = trace.path();
  facts.pid = trace.header().pid;
  facts.period_ns = trace.header().period_ns;
  facts.periods = trace.periods();
  facts.off_ns = trace.off_ns();
  facts.marks_late = (trace.header().flags & trace::kHeaderMarksLate) != 0;
  if (const std::optional<Process> &process = trace.process()) {
    facts.program = process->executable;
    facts.command = format_command(process->arguments);
    facts.short_command = format_command_briefly(process->arguments);
  }
  facts.completeness = trace.completeness();
  return facts;
}

std::string describe_run(std::span<const RunReport::Trace> traces) {
  const RunReport::Trace &first = traces.front();
  std::uint64_t periods = 0;
  std::uint64_t off_ns = 0;
  std::size_t incomplete = 0;
  bool one_length = true;
  for (const RunReport::Trace &trace : traces) {
    periods += trace.periods;
    off_ns += trace.off_ns;
    incomplete += !trace.completeness.is_complete();
    one_length = one_length && trace.period_ns == first.period_ns;
  }
  std::string lengths =
      fmt::format("{} period{}", format_count(periods), plural(periods));
  if (one_length && first.period_ns != 0)
    lengths += " of " + format_duration(first.period_ns);
  if (off_ns != 0)
    lengths += fmt::format(", and {} with marks off", format_duration(off_ns));
  if (traces.size() == 1) {
    const std::string program =
        first.program.substr(first.program.rfind('/') + 1);
    return fmt::format("{} ({}): {}process {}, {}", printable(first.path),
                       incomplete == 0 ? "complete" : "INCOMPLETE",
                       program.empty() ? "" : printable(program) + ", ",
                       first.pid, lengths);
  }
  return fmt::format(
      "{} and {} more ({}): {} processes, {}", printable(first.path),
      format_count(traces.size() - 1),
      incomplete == 0 ? std::string("complete")
                      : fmt::format("{} INCOMPLETE", format_count(incomplete)),
      format_count(traces.size()), lengths);
}

std::vector<std::string>
describe_losses(std::span<const RunReport::Trace> traces) {
  std::vector<std::string> losses;
  std::size_t incomplete = 0;
  for (const RunReport::Trace &trace : traces)
    if (!trace.completeness.is_complete() && incomplete++ < kMaxProblems)
      losses.push_back(
          fmt::format("INCOMPLETE: {}{}",
                      traces.size() == 1 ? "" : printable(trace.path) + ": ",
                      trace.completeness.sentence()));
  if (incomplete > kMaxProblems)
    losses.push_back(fmt::format("and {} more traces are INCOMPLETE",
                                 format_count(incomplete - kMaxProblems)));
  return losses;
}

std::string process_label(const std::string &program,
                          const std::string &command) {
  if (program.empty())
    return "(unknown)";
  const std::string name =
      printable(std::string_view(program).substr(program.rfind('/') + 1));
  const std::string word = command.substr(0, command.find(' '));
  // A title names the program itself: "nginx: worker process".
  if (word == name || word == name + ':' || word.ends_with('/' + name))
    return command;
  return fmt::format("[{}] {}", name, command);
}

std::string process_label(const RunReport::Trace &trace) {
  std::string command = trace.short_command;
  // A quote is there if the program has written over its command.
  const std::size_t begin = command.starts_with('\'') ? 1 : 0;
  const std::string name =
      printable(trace.program.substr(trace.program.rfind('/') + 1));
  const std::string word = command.substr(begin, command.find(' ') - begin);
  if (name.empty() || !word.starts_with('/') || !word.ends_with('/' + name))
    return process_label(trace.program, command);
  return command.erase(begin, word.size() - name.size());
}

std::string format_since_start(std::uint64_t ns) {
  return ns == 0 ? "0 s" : format_duration(ns);
}

void RunReport::check_and_note(const SelectedTrace &trace) {
  const trace::FileHeader &header = trace.header();
  if (!traces_.empty() && header.granule_shift != units_.granule_shift)
    throw Failure("{}: has granules of {}, and {} has granules of {}; report "
                  "them one by one with --only",
                  printable(trace.path()),
                  format_bytes(std::uint64_t{1} << header.granule_shift),
                  printable(traces_.front().path), bytes(1));
  check(trace);
  Units units = Units::of(header);
  if (!traces_.empty())
    units.keep_common(units_);
  units_ = units;
  only_reads_ = trace.selection().only_reads();
  only_writes_ = trace.selection().only_writes();
}

void RunReport::add_to(std::span<RunReport *const> reports,
                       SelectedTrace &trace) {
  for (RunReport *report : reports)
    report->check_and_note(trace);
  std::vector<std::unique_ptr<TraceTaker>> takers;
  for (RunReport *report : reports)
    takers.push_back(report->start(trace));
  while (const PeriodPart *part = trace.next())
    for (const std::unique_ptr<TraceTaker> &taker : takers)
      taker->take(*part);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    takers[i]->finish();
    reports[i]->traces_.push_back(facts_of(trace));
  }
}

void RunReport::add(SelectedTrace &trace) {
  RunReport *const report = this;
  add_to(std::span(&report, 1), trace);
}

const char *RunReport::access_word() const {
  return only_reads_ ? "read" : only_writes_ ? "written" : units_.access_word();
}

const char *RunReport::access_verb() const {
  return only_reads_ ? "read" : only_writes_ ? "wrote" : units_.access_verb();
}

Json RunReport::if_told(std::uint64_t number) const {
  return json_if(tells_reads(), number);
}

BarTable RunReport::bar_table(std::string label,
                              std::vector<std::string> headings) const {
  BarTable table;
  table.label_heading = std::move(label);
  table.headings = std::move(headings);
  table.axis_end = [this](std::uint64_t granules) { return bytes(granules); };
  table.dark_meaning = tells_reads() ? "written" : access_word();
  table.light_meaning = tells_reads() ? "only read" : "";
  return table;
}

std::string RunReport::subject() const { return describe_run(traces_); }

std::vector<std::string> RunReport::facts(const std::string &words) const {
  std::vector<std::string> facts = {subject()};
  if (!words.empty())
    facts.push_back(fmt::format("Selected: {}", words));
  for (std::string &loss : describe_losses(traces_))
    facts.push_back(std::move(loss));
  return facts;
}

void RunReport::head(ReportLines &out, const std::string &words) const {
  out.statement(title());
  for (const std::string &fact : facts(words))
    out.remark(fact);
}

std::string RunReport::text(const std::string &words,
                            const ReportStyle &style) const {
  ReportLines out(style);
  head(out, words);
  out.line("");
  write_text(out);
  return out.take();
}

void RunReport::sort_by(std::string_view column) {
  sort_column_ = find_column(columns(), column);
}

std::vector<std::size_t>
RunReport::order(const std::vector<ReportRow> &rows) const {
  return sorted_rows(rows, *sort_column_, columns()[*sort_column_]);
}

Json RunReport::list(std::size_t max_rows) const {
  Json list = Json::array();
  std::vector<ReportRow> all = arranged(rows());
  for (std::size_t i = 0; i < std::min(all.size(), max_rows); ++i)
    list.push_back(row_json(columns(), std::move(all[i])));
  return list;
}

std::string RunReport::csv() const {
  return table_csv(columns(), arranged(rows()));
}

Json RunReport::json(const std::string &words) const {
  Json out;
  out[fmt::format("pagetide_report_{}", kind())] = 1;
  out["selected"] = words.empty() ? Json() : Json(words);
  out["granule_bytes"] = std::uint64_t{1} << units_.granule_shift;
  out["traces"] = Json::array();
  for (const Trace &trace : traces_) {
    Json entry = {
        {"file", trace.path},
        {"pid", trace.pid},
        {"executable", trace.program.empty() ? Json() : Json(trace.program)},
        {"period_ns", trace.period_ns},
        {"periods", trace.periods}};
    entry.update(completeness_json(trace.completeness));
    out["traces"].push_back(std::move(entry));
  }
  write_json(out);
  return out;
}

} // namespace pagetide::tools
