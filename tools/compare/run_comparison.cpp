//===- run_comparison.cpp - Where two runs differ -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/run_comparison.h"

#include "compare/pair_comparison.h"
#include "compare/process_periods.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxNamedMappings = 16384;

std::vector<RunProcess> read_processes(const std::vector<std::string> &traces) {
  std::vector<RunProcess> processes;
  for (const std::string &trace : traces)
    processes.push_back(read_process(trace));
  std::ranges::sort(processes, {}, [](const RunProcess &process) {
    return std::pair(process.start_ns, process.path);
  });
  return processes;
}

/// A process that only one run has: what its trace lacks, and its periods.
RunReport::Trace read_alone(const RunProcess &process,
                            const Selection &selection, std::uint64_t start) {
  SelectedTrace trace(TraceReader::open_with_progress(process.path), selection,
                      start);
  while (trace.next()) {
  }
  return facts_of(trace);
}

void take_facts(ComparedRun &run, std::size_t at,
                const ProcessPeriods &periods) {
  run.traces[at] = facts_of(periods.trace());
  run.has_fixed_addresses &= periods.has_fixed_addresses();
  run.has_checksums |=
      periods.trace().header().checksum_mode != trace::ChecksumMode::kNone;
  run.clock_periods += periods.clock_periods();
}

} // namespace

bool ComparedRun::is_complete() const {
  return std::ranges::all_of(traces, [](const RunReport::Trace &trace) {
    return trace.completeness.is_complete();
  });
}

std::uint64_t start_of(std::span<const RunProcess> processes) {
  std::uint64_t start = UINT64_MAX;
  for (const RunProcess &process : processes)
    start = std::min(start, process.start_ns);
  return start;
}

RunComparison::RunComparison(const std::vector<std::string> &a,
                             const std::vector<std::string> &b,
                             const DiffOptions &options)
    : options_(options), processes_a_(read_processes(a)),
      processes_b_(read_processes(b)),
      pairs_(pair_processes(processes_a_, processes_b_)) {
  check_headers(a, b);
  a_.traces.resize(processes_a_.size());
  b_.traces.resize(processes_b_.size());
  const std::uint64_t start_a = start_of(processes_a_);
  const std::uint64_t start_b = start_of(processes_b_);
  for (const ProcessPair &pair : pairs_)
    compare(pair, start_a, start_b);
  sort_differences();
}

/// Finds what the traces have in common before their periods are read.
void RunComparison::check_headers(const std::vector<std::string> &a,
                                  const std::vector<std::string> &b) {
  std::set<std::uint64_t> lengths[2];
  std::string first;
  for (const auto *run : {&a, &b})
    for (const std::string &path : *run) {
      const TraceReader reader = TraceReader::open(path);
      const trace::FileHeader &header = reader.header();
      Units units = Units::of(header);
      if (first.empty())
        first = path;
      else if (units.granule_shift != units_.granule_shift)
        throw Failure("{}: has granules of {}, and {} has granules of {}; "
                      "build both programs with one -fpagetide-granule",
                      printable(path), units.bytes(), printable(first),
                      units_.bytes());
      else
        units.keep_common(units_);
      units_ = units;
      by_thread_ = by_thread_ && (header.flags & trace::kHeaderPerThread) &&
                   !options_.selection.tid;
      lengths[run == &b].insert(header.period_ns);
    }
  if (!units_.tells_writes && !units_.records_reads)
    throw Failure(
        "one run was recorded with layout `access`, which does not tell "
        "writes, and the other one with `write`, which has nothing else; build "
        "both programs with one -fpagetide-layout");
  lengths_differ_ = lengths[0] != lengths[1];
  by_periods_ = !options_.whole && !lengths_differ_;
}

void RunComparison::compare(const ProcessPair &pair, std::uint64_t start_a,
                            std::uint64_t start_b) {
  ComparedFigures figures;
  const std::size_t number = figures_.size();
  if (!pair.a || !pair.b) {
    Difference difference;
    difference.kind = DifferenceKind::kProcess;
    difference.pair = number;
    difference.in_a = pair.a.has_value();
    difference.in_b = pair.b.has_value();
    const RunProcess &process =
        pair.a ? processes_a_[*pair.a] : processes_b_[*pair.b];
    const std::uint64_t start = pair.a ? start_a : start_b;
    difference.start_ns = process.start_ns - start;
    differences_.push_back(std::move(difference));
    ++(pair.a ? processes_.only_a : processes_.only_b);
    (pair.a ? a_.traces[*pair.a] : b_.traces[*pair.b]) =
        read_alone(process, options_.selection, start);
    figures_.push_back(figures);
    return;
  }
  SelectedTrace trace_a(
      TraceReader::open_with_progress(processes_a_[*pair.a].path),
      options_.selection, start_a);
  SelectedTrace trace_b(
      TraceReader::open_with_progress(processes_b_[*pair.b].path),
      options_.selection, start_b);
  PlaceNumbers numbers;
  const ReadOptions read = {by_thread_ && by_periods_,
                            options_.relative ? &numbers : nullptr};
  ProcessPeriods periods_a(trace_a, read);
  ProcessPeriods periods_b(trace_b, read);
  PairComparison comparison(periods_a, periods_b,
                            {units_.tells_writes, units_.records_reads},
                            options_, by_periods_, number);
  comparison.run();
  take_facts(a_, *pair.a, periods_a);
  take_facts(b_, *pair.b, periods_b);
  figures = comparison.figures();
  const std::uint64_t found =
      by_periods_
          ? figures.periods.differences()
          : figures.pages.differences() + figures.final_checksums.differences();
  ++(found ? processes_.different : processes_.equal);
  for (const auto &[name, added] : comparison.mappings()) {
    const bool has_room =
        mappings_.size() < kMaxNamedMappings || mappings_.contains(name);
    MappingDifferences &mapping =
        mappings_[has_room ? name : "[other mappings]"];
    mapping.only_a += added.only_a;
    mapping.only_b += added.only_b;
    mapping.accesses += added.accesses;
    mapping.checksums += added.checksums;
    mapping.ignored = added.ignored;
  }
  for (Difference &difference : comparison.take_differences())
    differences_.push_back(std::move(difference));
  sum_.add(figures);
  figures_.push_back(figures);
}

void RunComparison::sort_differences() {
  std::ranges::sort(differences_, {}, &Difference::order);
  if (differences_.size() > options_.top)
    differences_.resize(options_.top);
}

Verdict RunComparison::verdict() const {
  const std::uint64_t open =
      by_periods_ ? sum_.periods.open + sum_.accesses.open + sum_.checksums.open
                  : sum_.pages.open + sum_.final_checksums.open;
  if (processes_.differences() != 0)
    return Verdict::kDifferent;
  const bool read_all = a_.is_complete() && b_.is_complete() &&
                        sum_.cut_periods == 0 && sum_.unplaced == 0 &&
                        (by_periods_ || !sum_.pages_left_out);
  return read_all && open == 0 ? Verdict::kEqual : Verdict::kUndecided;
}

} // namespace pagetide::tools
