//===- processes_report.cpp - The processes of a run, side by side --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_kinds.h"

#include "analysis/access_counts.h"
#include "analysis/granule_set.h"
#include "analysis/largest_first.h"
#include "analysis/mapping_names.h"
#include "analysis/sharing.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pagetide::tools {

namespace {

/// What one process accessed.
struct ProcessFigures {
  std::uint64_t peak = 0;     ///< granules in its largest period
  std::uint64_t granules = 0; ///< distinct
  std::uint64_t written = 0;  ///< distinct
  std::uint64_t start_ns = 0; ///< since the run's start
  std::uint64_t end_ns = 0;   ///< of its last period
  bool is_lower_bound = false;
};

constexpr std::size_t kMaxListedObjects = 1000;

/// What the reader must know of a process's figures, in letters.
std::string process_note(const RunReport::Trace &trace) {
  std::string note = trace.completeness.is_complete() ? "" : "I";
  if (trace.marks_late)
    note += "L";
  return note;
}

/// Finds out which pages of shared memory several processes of a run accessed.
/// Processes can have a page at different addresses: it is known by its memory
/// and its place there.
class SharedMemory {
public:
  /// A certain access of a process, in a mapping for which is_shared() is true.
  /// Processes are numbered by the caller.
  void add(std::uint32_t process, const MappingNames::Object &object,
           const std::string &name, const GranuleRun &in_object) {
    constexpr std::uint64_t kMaxGranules = std::uint64_t{1} << kObjectBits;
    constexpr std::size_t kMaxObjects = std::size_t{1}
                                        << (64 - kObjectBits - 1);
    const auto [at, is_new] = numbers_.try_emplace(object, names_.size());
    if (is_new)
      names_.push_back(name);
    if (process >= kMaxThreads || at->second >= kMaxObjects ||
        in_object.first >= kMaxGranules ||
        in_object.count > kMaxGranules - in_object.first) {
      left_out_ = true;
      return;
    }
    const std::uint64_t first = (at->second << kObjectBits) + in_object.first;
    const std::uint64_t bit = PageThreads::bit(process);
    const std::uint64_t written =
        in_object.flags & trace::kRunWritten ? bit : 0;
    pages_.table(process).visit(first, first + in_object.count,
                                [&](PageThreads::Bits &page) {
                                  page.accessed |= bit;
                                  page.written |= written;
                                });
  }

  struct Object {
    std::string name;
    std::vector<std::uint32_t> processes; ///< that share pages of it
    std::uint64_t granules = 0; ///< that two processes or more accessed
    std::uint64_t written = 0;  ///< of these, by any process
  };
  struct Figures {
    std::vector<Object> objects; ///< the one with the most granules first
    std::vector<std::uint64_t> of_process; ///< shared granules of each
    /// What the processes' sums of granules count too often.
    std::uint64_t repeated = 0;
    bool is_lower_bound = false;
  };
  /// Call it once, after all processes were added.
  Figures take_figures(std::size_t processes) {
    Figures figures;
    figures.of_process.resize(processes);
    std::vector<Object> objects(names_.size());
    std::vector<std::set<std::uint32_t>> sharers(names_.size());
    ThreadSets sets;
    const bool is_left_out = pages_.take_sets(sets, [&](std::uint64_t granule,
                                                        std::uint32_t accessed,
                                                        std::uint32_t written) {
      const ThreadSets::Members members = sets.members(accessed);
      if (members.size() < 2)
        return;
      const std::size_t number = granule >> kObjectBits;
      ++objects[number].granules;
      objects[number].written += written != 0;
      sharers[number].insert(members.begin(), members.end());
      figures.repeated += members.size() - 1;
      for (const std::uint32_t process : members)
        if (process < processes)
          ++figures.of_process[process];
    });
    figures.is_lower_bound = left_out_ || is_left_out || sets.is_lower_bound();
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (objects[i].granules == 0)
        continue;
      objects[i].name = names_[i];
      objects[i].processes.assign(sharers[i].begin(), sharers[i].end());
      figures.objects.push_back(std::move(objects[i]));
    }
    std::ranges::sort(figures.objects, [](const Object &a, const Object &b) {
      return std::tie(b.granules, a.name) < std::tie(a.granules, b.name);
    });
    return figures;
  }

private:
  /// Granules of an object. Others begin above it.
  static constexpr unsigned kObjectBits = 40;

  std::map<MappingNames::Object, std::uint64_t> numbers_;
  std::vector<std::string> names_; ///< of the objects
  PageThreads pages_{kTableBytes};
  bool left_out_ = false;
};

class ProcessesReport : public RunReport {
public:
  /// What they share. Call it after all traces were added.
  const SharedMemory::Figures &shared() const {
    if (!shared_)
      shared_ = memory_.take_figures(processes_.size());
    return *shared_;
  }

  /// Indices, in the order of the table.
  std::vector<std::size_t> sorted() const { return arranged(largest()); }

  std::span<const ReportColumn> columns() const override {
    static constexpr ReportColumn kColumns[] = {
        {"file"},           {"pid", true},     {"executable"}, {"command"},
        {"start_ns", true}, {"end_ns", true},  {"periods"},    {"complete"},
        {"marks_late"},     {"peak"},          {"distinct"},   {"written"},
        {"shared"},         {"is_lower_bound"}};
    return kColumns;
  }

  std::vector<ReportRow> rows() const override {
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

private:
  class Taker : public TraceTaker {
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

  const char *kind() const override { return "processes"; }
  std::string title() const override {
    return fmt::format("Processes: the {} that each {}", units(),
                       access_verb());
  }

  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override {
    return std::make_unique<Taker>(*this, trace);
  }

  void write_text(ReportLines &out) const override {
    write_totals(out);
    out.line("");
    write_table(out);
    write_shared(out);
  }

  void write_json(Json &out) const override {
    out["addresses"] = addresses_.count();
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

  /// Indices, those with the most granules first.
  std::vector<std::size_t> largest() const {
    return numbers_largest_first(processes_.size(), [&](std::size_t i) {
      return std::pair(processes_[i].granules, processes_[i].peak);
    });
  }

  void write_totals(ReportLines &out) const {
    std::uint64_t sum = 0;
    std::uint64_t end_ns = 0;
    bool is_lower_bound =
        addresses_.is_lower_bound() || shared().is_lower_bound;
    for (const ProcessFigures &process : processes_) {
      sum += process.granules;
      end_ns = std::max(end_ns, process.end_ns);
      is_lower_bound |= process.is_lower_bound;
    }
    sum -= std::min(sum, shared().repeated);
    out.statement(
        fmt::format("In all {}{} {}s, {}, at {} different addresses, in {}.",
                    is_lower_bound ? "at least " : "", format_count(sum),
                    unit(), bytes(sum), format_count(addresses_.count()),
                    format_since_start(end_ns)));
  }

  void write_shared(ReportLines &out) const {
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

  void write_table(ReportLines &out) const {
    BarTable table = bar_table("command", {"process", "periods", "peak",
                                           fmt::format("{}s", unit()),
                                           "written", "shared", "note"});
    table.keeps_beginnings = true;
    table.noun = "process";
    table.noun_ending = "es";
    for (const std::size_t i : arranged(largest())) {
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
    out.table(
        fmt::format("Each process's largest period (peak) and distinct {}s",
                    unit()),
        std::move(table));
    if (std::ranges::any_of(traces(), [](const Trace &trace) {
          return !trace.completeness.is_complete();
        }))
      out.remark("I: the process's trace is INCOMPLETE.");
    if (std::ranges::any_of(traces(), &Trace::marks_late))
      out.remark(
          "L: marks were switched on late, while the process ran, so any "
          "period may lack accesses.");
  }

  std::vector<ProcessFigures> processes_;
  MemoryBudget budget_{kSetBytes};
  GranuleSet addresses_{budget_};
  mutable SharedMemory memory_;
  mutable std::optional<SharedMemory::Figures> shared_;
};

} // namespace

std::unique_ptr<RunReport> make_processes_report() {
  return std::make_unique<ProcessesReport>();
}

} // namespace pagetide::tools
