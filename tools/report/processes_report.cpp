//===- processes_report.cpp - The processes of a run, side by side --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/processes_report.h"

#include "analysis/access_counts.h"
#include "report/bar_table.h"
#include "support/json.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxListedObjects = 1000;

/// What the reader must know of a process's figures, in letters.
std::string process_note(const RunReport::Trace &trace) {
  std::string note = trace.completeness.is_complete() ? "" : "I";
  if (trace.marks_late)
    note += "L";
  return note;
}

} // namespace

class ProcessesReport::Taker : public TraceTaker {
public:
  Taker(ProcessesReport &report, SelectedTrace &trace)
      : report_(report), trace_(trace) {
    figures_.start_ns = trace.since_start(trace.header().monotonic_ns);
    figures_.end_ns = figures_.start_ns;
    trace.place_mappings([this](const MappingNames::Place &place,
                                const GranuleRun &piece, const PeriodTime &) {
      if (place.is_shared())
        report_.memory_.add(
            static_cast<std::uint32_t>(report_.processes_.size()),
            trace_.object(place), trace_.mapping(place.name),
            place.in_object(piece, report_.granule_shift()));
    });
  }

  void take(const PeriodPart &part) override {
    if (part.first)
      size_ = 0;
    for (const GranuleRun &run : union_of_sections(part, scratch_)) {
      const AccessKinds kinds(run.flags);
      if (!kinds.accessed)
        continue;
      size_ += run.count;
      accessed_.insert(run.first, run.end());
      report_.addresses_.insert(run.first, run.end());
      if (kinds.written)
        written_.insert(run.first, run.end());
    }
    if (part.last) {
      figures_.peak = std::max(figures_.peak, size_);
      figures_.end_ns = trace_.since_start(part.end_ns);
    }
  }

  void finish() override {
    figures_.granules = accessed_.count();
    figures_.written = written_.count();
    figures_.is_lower_bound =
        accessed_.is_lower_bound() || written_.is_lower_bound();
    report_.processes_.push_back(figures_);
  }

private:
  ProcessesReport &report_;
  SelectedTrace &trace_;
  MemoryBudget budget_{kSetBytes};
  GranuleSet accessed_{budget_};
  GranuleSet written_{budget_};
  std::vector<GranuleRun> scratch_;
  ProcessFigures figures_;
  std::uint64_t size_ = 0; ///< of the period
};

std::unique_ptr<TraceTaker> ProcessesReport::start(SelectedTrace &trace) {
  return std::make_unique<Taker>(*this, trace);
}

const SharedMemory::Figures &ProcessesReport::shared() const {
  if (!shared_)
    shared_ = memory_.take_figures(processes_.size());
  return *shared_;
}

std::span<const ReportColumn> ProcessesReport::columns() const {
  static constexpr ReportColumn kColumns[] = {
      {"file"},           {"pid", true},     {"executable"}, {"command"},
      {"start_ns", true}, {"end_ns", true},  {"periods"},    {"complete"},
      {"marks_late"},     {"peak"},          {"distinct"},   {"written"},
      {"shared"},         {"is_lower_bound"}};
  return kColumns;
}

std::vector<ReportRow> ProcessesReport::rows() const {
  std::vector<ReportRow> rows;
  for (const std::size_t i : largest()) {
    const ProcessFigures &process = processes_[i];
    const Trace &trace = traces()[i];
    const bool is_known = !trace.program.empty();
    rows.push_back(
        {trace.path, trace.pid, is_known ? Json(trace.program) : Json(),
         is_known ? Json(trace.command) : Json(), process.start_ns,
         process.end_ns, trace.periods, trace.completeness.is_complete(),
         trace.marks_late, process.peak, process.granules,
         json_if(tells_reads(), process.written), shared().of_process[i],
         process.is_lower_bound});
  }
  return rows;
}

std::vector<std::size_t> ProcessesReport::sorted() const {
  return arranged(largest());
}

std::vector<std::size_t> ProcessesReport::largest() const {
  std::vector<std::size_t> order(processes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(processes_[b].granules, processes_[b].peak, a) <
           std::tie(processes_[a].granules, processes_[a].peak, b);
  });
  return order;
}

std::string ProcessesReport::title() const {
  return fmt::format("Processes: the {} that each {}", units(), access_verb());
}

void ProcessesReport::write_totals(TextLines &out,
                                   const ReportStyle &style) const {
  std::uint64_t sum = 0;
  std::uint64_t end_ns = 0;
  bool is_lower_bound = addresses_.is_lower_bound() || shared().is_lower_bound;
  for (const ProcessFigures &process : processes_) {
    sum += process.granules;
    end_ns = std::max(end_ns, process.end_ns);
    is_lower_bound = is_lower_bound || process.is_lower_bound;
  }
  sum -= std::min(sum, shared().repeated);
  out.append(wrapped(
      fmt::format("In all {}{} {}s, {}, at {} different addresses, in {}.",
                  is_lower_bound ? "at least " : "", format_count(sum), unit(),
                  bytes(sum), format_count(addresses()),
                  format_since_start(end_ns)),
      0, style.width));
}

void ProcessesReport::write_table(TextLines &out,
                                  const ReportStyle &style) const {
  const std::vector<std::size_t> order = sorted();
  const std::size_t shown = std::min(style.top, order.size());
  BarTable table;
  table.left_labels = true;
  table.keeps_beginnings = true;
  table.label_heading = "command";
  table.headings = {"process", "periods", "peak", fmt::format("{}s", unit())};
  table.dark_meaning = access_word();
  if (tells_reads()) {
    table.headings.push_back("written");
    table.dark_meaning = "written";
    table.light_meaning = "only read";
  }
  const bool has_shared = !shared().objects.empty();
  if (has_shared)
    table.headings.push_back("shared");
  const bool has_notes = std::ranges::any_of(traces(), [](const Trace &trace) {
    return !process_note(trace).empty();
  });
  if (has_notes)
    table.headings.push_back("note");
  for (std::size_t i = 0; i < shown; ++i) {
    const Trace &trace = traces()[order[i]];
    const ProcessFigures &process = processes_[order[i]];
    BarRow row = {
        process_label(trace),
        {fmt::format("{}", trace.pid), format_count(trace.periods),
         format_count(process.peak), format_count(process.granules)},
        {process.granules, tells_reads() ? process.written : process.granules}};
    if (tells_reads())
      row.cells.push_back(format_count(process.written));
    if (has_shared)
      row.cells.push_back(format_count(shared().of_process[order[i]]));
    if (has_notes)
      row.cells.push_back(process_note(trace));
    table.rows.push_back(std::move(row));
  }
  table.longest = bytes(table.most());
  out.append(draw_bars(table, style));
  out.append(more_rows(order.size() - shown, "process", "es"));
  if (std::ranges::any_of(traces(), [](const Trace &trace) {
        return !trace.completeness.is_complete();
      }))
    out.paragraph(2, "I: the process's trace is INCOMPLETE.", style.width);
  if (std::ranges::any_of(traces(), &Trace::marks_late))
    out.paragraph(2,
                  "L: marks were switched on late, while the process ran, so "
                  "any period may lack accesses.",
                  style.width);
}

void ProcessesReport::write_shared(TextLines &out,
                                   const ReportStyle &style) const {
  const std::vector<SharedMemory::Object> &objects = shared().objects;
  if (objects.empty())
    return;
  out.line("");
  out.append(wrapped(
      fmt::format(
          "Shared memory: {}s that two processes or more {}. \"In all\" "
          "counts each once.",
          unit(), access_word()),
      0, style.width));
  BarTable table;
  table.left_labels = true;
  table.label_heading = "mapping";
  table.headings = {"processes", fmt::format("{}s", unit())};
  table.dark_meaning = access_word();
  if (tells_reads()) {
    table.headings.push_back("written");
    table.dark_meaning = "written";
    table.light_meaning = "only read";
  }
  const std::size_t count = std::min(style.top, objects.size());
  for (std::size_t i = 0; i < count; ++i) {
    const SharedMemory::Object &object = objects[i];
    BarRow row = {
        printable(object.name),
        {format_count(object.processes.size()), format_count(object.granules)},
        {object.granules, tells_reads() ? object.written : object.granules}};
    if (tells_reads())
      row.cells.push_back(format_count(object.written));
    table.rows.push_back(std::move(row));
  }
  table.longest = bytes(table.most());
  out.append(draw_bars(table, style));
  out.append(more_rows(objects.size() - count, "mapping"));
}

void ProcessesReport::write_text(TextLines &out,
                                 const ReportStyle &style) const {
  write_totals(out, style);
  out.line("");
  out.append(wrapped(
      fmt::format("Each process's largest period (peak) and distinct {}s",
                  unit()),
      0, style.width));
  write_table(out, style);
  write_shared(out, style);
}

void ProcessesReport::write_json(Json &out) const {
  out["addresses"] = addresses();
  out["addresses_is_lower_bound"] = addresses_.is_lower_bound();
  out["shared_memory"] = Json::array();
  for (const SharedMemory::Object &object : shared().objects) {
    if (out["shared_memory"].size() == kMaxListedObjects)
      break;
    std::vector<std::uint32_t> pids;
    for (const std::uint32_t process : object.processes)
      pids.push_back(traces()[process].pid);
    out["shared_memory"].push_back(
        {{"name", object.name},
         {"pids", pids},
         {"distinct", object.granules},
         {"written", json_if(tells_reads(), object.written)}});
  }
  out["processes"] = list(SIZE_MAX);
}

} // namespace pagetide::tools
