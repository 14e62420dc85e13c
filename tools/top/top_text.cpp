//===- top_text.cpp - What pagetide top shows -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "top/top_text.h"

#include "analysis/time_curve.h"
#include "report/bar_table.h"
#include "report/run_report.h"
#include "report/units.h"
#include "support/text_format.h"
#include "support/text_wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <tuple>

namespace pagetide::tools {

namespace {

/// Terminals with fewer columns get fewer columns of the list.
constexpr std::size_t kMinWidthOfReads = 80;
constexpr std::size_t kMinWidthOfAll = 110;
/// From this age on the text says why the data is not newer.
constexpr std::uint64_t kOldNs = 3'000'000'000;

std::string curve_label(double value, const void *units) {
  return static_cast<const Units *>(units)->bytes(
      static_cast<std::uint64_t>(value));
}

/// One line of at most so many columns.
std::string cut_to(const std::string &line, std::size_t width) {
  return columns_of(line) <= width ? line : fitted_at_end(line, width);
}

std::string count(std::uint64_t number, bool is_known) {
  return is_known ? format_count(number) : "-";
}

std::string seconds(std::uint64_t ns) {
  constexpr std::uint64_t kMinute = 60'000'000'000;
  return ns < kMinute ? fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9)
                      : format_duration(ns);
}

/// How long the newest period of the trace has been over.
std::uint64_t age_of(const LiveProcess &process, const TopView &view) {
  return view.now_ns - std::min(view.now_ns, process.figures.end_ns);
}

std::uint64_t key_of(const LiveCounts &counts, TopOrder order) {
  switch (order) {
  case TopOrder::kRead:
    return counts.read;
  case TopOrder::kWritten:
    return counts.written;
  default:
    return counts.accessed;
  }
}

std::string label_of(const LiveProcess &process) {
  const std::optional<Process> &facts = process.trace->process();
  return facts ? process_label(facts->executable,
                               format_command_briefly(facts->arguments))
               : process_label("", "");
}

/// For the list, which has little room: without the directory.
std::string short_label_of(const LiveProcess &process) {
  const std::optional<Process> &facts = process.trace->process();
  if (!facts || facts->arguments.empty() || is_title(facts->arguments))
    return label_of(process);
  auto arguments = facts->arguments;
  arguments[0].erase(0, arguments[0].rfind('/') + 1);
  return process_label(facts->executable, format_command_briefly(arguments));
}

void sort_processes(std::vector<const LiveProcess *> &processes,
                    TopOrder order) {
  const auto bytes = [&](const LiveProcess *process) {
    return key_of(process->figures.all, order)
           << process->trace->header().granule_shift;
  };
  std::sort(processes.begin(), processes.end(),
            [&](const LiveProcess *a, const LiveProcess *b) {
              if (order == TopOrder::kNumber)
                return a->pid < b->pid;
              if (order == TopOrder::kName)
                return std::tuple(short_label_of(*a), a->pid) <
                       std::tuple(short_label_of(*b), b->pid);
              return std::tuple(bytes(b), a->pid) <
                     std::tuple(bytes(a), b->pid);
            });
}

BarRow row_of(const LiveProcess &process, const TopView &view) {
  const LiveCounts &counts = process.figures.all;
  const Units units = Units::of(process.trace->header());
  BarRow row;
  row.label = short_label_of(process);
  row.cells = {fmt::format("{}", process.pid), process.state(),
               counts.accessed};
  if (view.style.width >= kMinWidthOfReads)
    row.cells.emplace_back(count(counts.read, units.tells_reads()));
  row.cells.emplace_back(count(counts.written, units.tells_writes));
  if (view.style.width >= kMinWidthOfAll) {
    row.cells.push_back(process.trace->periods());
    row.cells.push_back(process.figures.threads.size());
  }
  if (view.style.width >= kMinWidthOfReads)
    row.cells.push_back(
        process.figures.periods == 0 ? "-" : seconds(age_of(process, view)));
  row.bar = {counts.accessed << units.granule_shift,
             (units.tells_reads() ? counts.written : counts.accessed)
                 << units.granule_shift};
  return row;
}

/// A table of mappings or threads.
BarTable table_of(const char *noun, const Units &units) {
  BarTable table;
  table.label_heading = table.noun = noun;
  table.headings = {units.access_word(), "read", "written"};
  table.axis_end = [units](std::uint64_t count) { return units.bytes(count); };
  table.dark_meaning = units.tells_reads() ? "written" : units.access_word();
  table.light_meaning = units.tells_reads() ? "only read" : "";
  return table;
}

BarRow row_of(std::string label, const LiveCounts &counts, const Units &units) {
  const bool is_told = units.tells_reads();
  return {std::move(label),
          {counts.accessed, json_if(is_told, counts.read),
           json_if(is_told, counts.written)},
          {counts.accessed, is_told ? counts.written : counts.accessed}};
}

void write_head(TextLines &out, const LiveProcess &process,
                const TopView &view) {
  LiveTrace &trace = *process.trace;
  const LiveFigures &figures = process.figures;
  const std::size_t width = view.style.width;
  out.line("{}", cut_to(fmt::format("pagetide top: process {}, {}, {}",
                                    process.pid, process.state(), view.clock),
                        width));
  out.line("  {}", cut_to(label_of(process), width - 2));
  const std::string path = printable(trace.name());
  const std::size_t room = width - 3; // for the indent, and a colon
  std::string newest;
  if (figures.periods != 0)
    newest = fmt::format("; the newest ended {} ago",
                         seconds(age_of(process, view)));
  out.paragraph(2,
                fmt::format("{}: {}, {} period{}{}",
                            columns_of(path) > room ? fitted(path, room) : path,
                            format_bytes(trace.file_bytes()),
                            format_count(trace.periods()),
                            plural(trace.periods()), newest),
                width);
  if (!process.problem.empty())
    out.paragraph(2, printable(process.problem), width);
  if (process.has_ended && process.is_read) {
    out.paragraph(2,
                  fmt::format("The recording has ended{}. {}{}",
                              trace.end() ? ": " + end_reason_name(*trace.end())
                                          : ", and the trace has no end",
                              trace.completeness().is_complete()
                                  ? ""
                                  : trace.completeness().verdict() + ". ",
                              "See: " + report_command(trace.name())),
                  width);
    return;
  }
  if (process.is_stopped)
    out.paragraph(2, "The process is stopped, by a signal or a debugger.",
                  width);
  else if (trace.header().period_ns == 0)
    out.paragraph(2, "The program ends its periods itself.", width);
  else if (process.is_read && age_of(process, view) > kOldNs)
    out.paragraph(
        2,
        fmt::format("A period is in the trace when it has ended. To make "
                    "periods shorter: pagetide ctl {} period 1s",
                    process.pid),
        width);
}

void write_sizes(TextLines &out, const LiveProcess &process,
                 const TopView &view, const Units &units) {
  const LiveFigures &figures = process.figures;
  const LiveCounts &all = figures.all;
  std::string words = fmt::format(
      "The last {} ({} period{}), {}: ",
      format_duration(figures.end_ns - figures.start_ns),
      format_count(figures.periods), plural(figures.periods), units.units());
  if (figures.is_lower_bound)
    words += "at least ";
  words += fmt::format("{} {}, {}", format_count(all.accessed),
                       units.access_word(), units.bytes(all.accessed));
  if (units.tells_reads())
    words += fmt::format("; {} read, {} written", format_count(all.read),
                         format_count(all.written));
  if (figures.is_cut_short)
    words += ". There is no memory for a whole second of so many";
  out.append(wrapped(words, 0, view.style.width));
  out.line("");
  const TimeCurve curve = process.trace->recent_sizes();
  out.append(wrapped(
      fmt::format("Working set: what each period {}, the largest in each "
                  "column, in the last {}",
                  units.access_word(), format_duration(curve.duration_ns())),
      0, view.style.width));
  CurveStyle style;
  style.width = view.style.width;
  style.height = view.curve_height;
  style.unicode = view.style.unicode;
  out.append(draw_curve(curve, style, curve_label, &units));
  out.line("");
}

/// Mappings or sites: names with their counts.
void write_named(TextLines &out, std::vector<LiveNamed> entries,
                 const TopView &view, const Units &units, const char *noun,
                 bool keeps_beginnings) {
  std::sort(entries.begin(), entries.end(),
            [&](const LiveNamed &a, const LiveNamed &b) {
              if (view.order == TopOrder::kName)
                return a.name < b.name;
              return std::tuple(key_of(b.counts, view.order), a.name) <
                     std::tuple(key_of(a.counts, view.order), b.name);
            });
  BarTable table = table_of(noun, units);
  table.keeps_beginnings = keeps_beginnings;
  for (const LiveNamed &entry : entries)
    table.rows.push_back(row_of(printable(entry.name), entry.counts, units));
  out.append(draw_bars(std::move(table), view.style));
  out.line("");
}

void write_threads(TextLines &out, const LiveProcess &process,
                   const TopView &view, const Units &units) {
  std::vector<LiveThread> threads = process.figures.threads;
  if (!process.trace->is_per_thread()) {
    out.append(wrapped(
        fmt::format("{} thread{}, recorded as one set. To tell them apart: "
                    "pagetide record --per-thread",
                    format_count(threads.size()), plural(threads.size())),
        0, view.style.width));
    return;
  }
  std::sort(threads.begin(), threads.end(),
            [&](const LiveThread &a, const LiveThread &b) {
              if (view.order == TopOrder::kNumber)
                return a.tid < b.tid;
              if (view.order == TopOrder::kName)
                return std::tie(a.name, a.tid) < std::tie(b.name, b.tid);
              return std::tuple(key_of(b.counts, view.order), a.tid) <
                     std::tuple(key_of(a.counts, view.order), b.tid);
            });
  BarTable table = table_of("thread", units);
  for (const LiveThread &thread : threads)
    table.rows.push_back(
        row_of(fmt::format("{} {}", thread.tid, printable(thread.name)),
               thread.counts, units));
  out.append(draw_bars(std::move(table), view.style));
}

} // namespace

TopView view_now(TopOrder order) {
  TopView view;
  view.style = style_of_terminal();
  view.order = order;
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  view.now_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                static_cast<std::uint64_t>(now.tv_nsec);
  const std::time_t seconds = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&seconds, &local);
  view.clock = fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min,
                           local.tm_sec);
  return view;
}

ProcessList list_text(const LiveProcesses &processes, const TopView &view) {
  ProcessList list;
  bool has_one_unit = true;
  for (const auto &process : processes.all()) {
    list.processes.push_back(process.get());
    const Units units = Units::of(process->trace->header());
    has_one_unit = has_one_unit && units.is_page;
  }
  sort_processes(list.processes, view.order);
  const std::size_t width = view.style.width;
  TextLines out;
  const std::size_t all = list.processes.size() + processes.left_out();
  out.line("{}", cut_to(fmt::format("pagetide top: {} recorded "
                                    "process{}, {}",
                                    format_count(all), all == 1 ? "" : "es",
                                    view.clock),
                        width));
  std::size_t lines = 1;
  const auto note = [&](const std::string &words) {
    const std::string text = wrapped(words, 0, width);
    lines +=
        static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    out.append(text);
  };
  for (const std::string &problem : processes.problems())
    note(printable(problem));
  if (processes.left_out() != 0)
    note(fmt::format("{} of them are not shown",
                     format_count(processes.left_out())));
  if (list.processes.empty()) {
    note("No process of yours is being recorded. To record a program: pagetide "
         "record -- CMD. To record a running one: pagetide ctl PID start");
    list.text = out.take();
    return list;
  }
  note(fmt::format("{} that each accessed in the last second of its trace",
                   has_one_unit ? "Pages" : "Granules"));
  BarTable table;
  table.keeps_beginnings = true;
  table.label_heading = "command";
  table.headings = {"process", "state", "accessed"};
  if (width >= kMinWidthOfReads)
    table.headings.emplace_back("read");
  table.headings.emplace_back("written");
  if (width >= kMinWidthOfAll) {
    table.headings.emplace_back("periods");
    table.headings.emplace_back("threads");
  }
  if (width >= kMinWidthOfReads)
    table.headings.emplace_back("age");
  table.dark_meaning = "written";
  table.light_meaning = "only read";
  for (const LiveProcess *process : list.processes)
    table.rows.push_back(row_of(*process, view));
  table.axis_end = [](std::uint64_t bytes) { return format_bytes(bytes); };
  out.append(draw_bars(std::move(table), view.style));
  list.first_row = lines + 1;
  list.text = out.take();
  return list;
}

std::string process_text(const LiveProcess &process, const TopView &view) {
  TextLines out;
  write_head(out, process, view);
  out.line("");
  if (process.figures.periods == 0) {
    out.line("No period has ended yet.");
    return out.take();
  }
  const Units units = Units::of(process.trace->header());
  write_sizes(out, process, view, units);
  write_named(out, process.figures.mappings, view, units, "mapping", false);
  if (!process.figures.sites.empty())
    write_named(out, process.figures.sites, view, units, "site", true);
  write_threads(out, process, view, units);
  return out.take();
}

} // namespace pagetide::tools
