//===- processes_report.cpp - The processes of a run, side by side --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/processes_report.h"

#include "analysis/access_counts.h"
#include "analysis/largest_first.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>

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
    rows.push_back({trace.path, trace.pid,
                    is_known ? Json(trace.program) : Json(),
                    is_known ? Json(trace.command) : Json(), process.start_ns,
                    process.end_ns, trace.periods,
                    trace.completeness.is_complete(), trace.marks_late,
                    process.peak, process.granules, if_told(process.written),
                    shared().of_process[i], process.is_lower_bound});
  }
  return rows;
}

std::vector<std::size_t> ProcessesReport::sorted() const {
  return arranged(largest());
}

std::vector<std::size_t> ProcessesReport::largest() const {
  return numbers_largest_first(processes_.size(), [&](std::size_t i) {
    return std::pair(processes_[i].granules, processes_[i].peak);
  });
}

std::string ProcessesReport::title() const {
  return fmt::format("Processes: the {} that each {}", units(), access_verb());
}

void ProcessesReport::write_totals(ReportLines &out) const {
  std::uint64_t sum = 0;
  std::uint64_t end_ns = 0;
  bool is_lower_bound = addresses_.is_lower_bound() || shared().is_lower_bound;
  for (const ProcessFigures &process : processes_) {
    sum += process.granules;
    end_ns = std::max(end_ns, process.end_ns);
    is_lower_bound |= process.is_lower_bound;
  }
  sum -= std::min(sum, shared().repeated);
  out.statement(fmt::format(
      "In all {}{} {}s, {}, at {} different addresses, in {}.",
      is_lower_bound ? "at least " : "", format_count(sum), unit(), bytes(sum),
      format_count(addresses()), format_since_start(end_ns)));
}

void ProcessesReport::write_table(ReportLines &out) const {
  BarTable table = bar_table("command", {"process", "periods", "peak",
                                         fmt::format("{}s", unit()), "written",
                                         "shared", "note"});
  table.keeps_beginnings = true;
  table.noun = "process";
  table.noun_ending = "es";
  for (const std::size_t i : sorted()) {
    const Trace &trace = traces()[i];
    const ProcessFigures &process = processes_[i];
    const std::string note = process_note(trace);
    table.rows.push_back(
        {process_label(trace),
         {fmt::format("{}", trace.pid), trace.periods, process.peak,
          process.granules, if_told(process.written),
          json_if(!shared().objects.empty(), shared().of_process[i]),
          note.empty() ? Json() : Json(note)},
         bar(process.granules, process.written)});
  }
  out.table(fmt::format("Each process's largest period (peak) and distinct {}s",
                        unit()),
            std::move(table));
  if (std::ranges::any_of(traces(), [](const Trace &trace) {
        return !trace.completeness.is_complete();
      }))
    out.remark("I: the process's trace is INCOMPLETE.");
  if (std::ranges::any_of(traces(), &Trace::marks_late))
    out.remark("L: marks were switched on late, while the process ran, so any "
               "period may lack accesses.");
}

void ProcessesReport::write_shared(ReportLines &out) const {
  if (shared().objects.empty())
    return;
  BarTable table = bar_table(
      "mapping", {"processes", fmt::format("{}s", unit()), "written"});
  table.noun = "mapping";
  for (const SharedMemory::Object &object : shared().objects)
    table.rows.push_back(
        {printable(object.name),
         {object.processes.size(), object.granules, if_told(object.written)},
         bar(object.granules, object.written)});
  out.line("");
  out.table(fmt::format("Shared memory: {}s that two processes or more {}. "
                        "\"In all\" counts each once.",
                        unit(), access_verb()),
            std::move(table));
}

void ProcessesReport::write_text(ReportLines &out) const {
  write_totals(out);
  out.line("");
  write_table(out);
  write_shared(out);
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
    out["shared_memory"].push_back({{"name", object.name},
                                    {"pids", pids},
                                    {"distinct", object.granules},
                                    {"written", if_told(object.written)}});
  }
  out["processes"] = list(SIZE_MAX);
}

} // namespace pagetide::tools
