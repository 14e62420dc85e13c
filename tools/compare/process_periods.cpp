//===- process_periods.cpp - The periods of a process, to be compared -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/process_periods.h"

#include "support/failure.h"
#include "support/pieces.h"
#include "trace/runs.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

/// A key by places is the place's number, and the distance from its anchor.
constexpr unsigned kDistanceBits = 42;
constexpr std::uint64_t kNoDistance = std::uint64_t{1} << (kDistanceBits - 1);

std::uint64_t key_of(std::uint64_t number, std::uint64_t anchor,
                     std::uint64_t granule) {
  return (number << kDistanceBits) + kNoDistance + granule - anchor;
}

/// What the runtime notes if addresses are not random.
constexpr std::string_view kFixedNote = "addresses are not randomised";

void take_frame(const Frame &frame, PagePlaces &places) {
  if (frame.lost_mappings && (frame.type == trace::FrameType::kMappings ||
                              frame.type == trace::FrameType::kPeriod))
    places.forget();
  if (frame.type == trace::FrameType::kMappings)
    places.set_mappings(frame.mappings);
  if (frame.type == trace::FrameType::kProcess)
    places.set_program(frame.process.executable);
}

} // namespace

/// Reads the trace once more, at the first need.
const PagePlaces &ProcessPeriods::later_places() const {
  if (later_places_)
    return *later_places_;
  PagePlaces &places = later_places_.emplace(trace_.header().granule_shift);
  try {
    TraceReader reader = TraceReader::open_with_progress(trace_.path());
    Frame frame;
    while (reader.next(frame))
      take_frame(frame, places);
  } catch (const Failure &) {
    // A pipe cannot be read twice. Then less is known of places.
    places.forget();
  }
  return places;
}

ProcessPeriods::ProcessPeriods(SelectedTrace &trace, const ReadOptions &options)
    : trace_(trace), options_(options), places_(trace.header().granule_shift) {
  trace_.watch_frames([this](const Frame &frame) { watch(frame); });
}

void ProcessPeriods::watch(const Frame &frame) {
  take_frame(frame, places_);
  if (frame.type == trace::FrameType::kThreads)
    for (const ThreadRecord &record : frame.threads.records)
      if (record.event == trace::ThreadEvent::kStart)
        threads_[record.tid] = ++thread_count_;
  if (frame.type == trace::FrameType::kNote && frame.note.text == kFixedNote)
    has_fixed_addresses_ = true;
}

/// A thread whose start is not in the trace gets its number at its first
/// access.
std::size_t ProcessPeriods::thread_number(std::uint32_t tid) {
  if (!options_.by_thread || tid == 0)
    return 0;
  const auto [found, is_new] = threads_.try_emplace(tid, thread_count_ + 1);
  thread_count_ += is_new;
  return found->second;
}

/// Calls visit(key, first, end) for the pieces of [first, end). The granules of
/// a piece have keys from `key` on.
template <typename Visit>
void ProcessPeriods::keyed(std::uint64_t first, std::uint64_t end,
                           Visit visit) {
  if (!options_.numbers) {
    visit(first, first, end);
    return;
  }
  const auto take = [&](std::uint64_t from, std::uint64_t to,
                        const Place *place) {
    const auto number =
        place ? options_.numbers->number_of(*place) : std::nullopt;
    if (!number) {
      unplaced_ += to - from;
      return;
    }
    anchors_[*number] = place->anchor;
    visit(key_of(*number, place->anchor, from), from, to);
  };
  places_.divide(first, end,
                 [&](std::uint64_t from, std::uint64_t to, const Place *place) {
                   if (place)
                     take(from, to, place);
                   else
                     later_places().divide(from, to, take);
                 });
}

bool ProcessPeriods::has_room_for(const PeriodPart &part) const {
  const std::size_t more = part.runs.size() * sizeof(GranuleRun) +
                           part.checksum_runs.size() * sizeof(HashedRun) +
                           (part.hashes.size() + part.relative_hashes.size()) *
                               sizeof(std::uint64_t);
  return bytes_ + more <= kMaxPeriodBytes;
}

void ProcessPeriods::take_accesses(const PeriodPart &part,
                                   ComparedPeriod &period) {
  const auto take = [&](std::size_t thread, std::span<const GranuleRun> runs) {
    std::vector<GranuleRun> &out = period.threads[thread];
    const std::size_t before = out.size();
    for (const GranuleRun &run : runs)
      keyed(run.first, run.end(),
            [&](std::uint64_t key, std::uint64_t first, std::uint64_t end) {
              out.push_back({key, end - first, run.flags});
            });
    bytes_ += (out.size() - before) * sizeof(GranuleRun);
  };
  if (!options_.by_thread) {
    take(0, union_of_sections(part, scratch_));
    return;
  }
  for (const PeriodPart::Section &section : part.sections)
    take(thread_number(section.tid), part.runs_of(section));
}

/// Takes the checksums of granules that are selected.
void ProcessPeriods::take_checksums(const PeriodPart &part,
                                    ComparedPeriod &period) {
  struct Segment {
    std::uint64_t first;
    std::uint64_t end;
  };
  std::vector<Segment> selected;
  for (const GranuleRun &run : union_of_sections(part, scratch_))
    selected.push_back({run.first, run.end()});
  Pieces pieces(selected);
  std::size_t hash = period.hashes.size();
  period.hashes.insert(period.hashes.end(), part.hashes.begin(),
                       part.hashes.end());
  period.relative_hashes.insert(period.relative_hashes.end(),
                                part.relative_hashes.begin(),
                                part.relative_hashes.end());
  for (const ChecksumRun &run : part.checksum_runs) {
    pieces.divide(
        run.first, run.end(),
        [&](std::uint64_t from, std::uint64_t to, const Segment *segment) {
          if (!segment)
            return;
          keyed(from, to,
                [&](std::uint64_t key, std::uint64_t first, std::uint64_t end) {
                  period.checksums.push_back({{key, end - first, run.state},
                                              hash + (first - run.first)});
                });
        });
    if (run.stable())
      hash += run.count;
  }
  bytes_ += part.checksum_runs.size() * sizeof(HashedRun) +
            (part.hashes.size() + part.relative_hashes.size()) *
                sizeof(std::uint64_t);
}

bool ProcessPeriods::next(ComparedPeriod &period) {
  period = {};
  bytes_ = 0;
  bool was_cut = false;
  while (const PeriodPart *part = trace_.next()) {
    if (part->first) {
      period = {};
      bytes_ = 0;
      was_cut = false;
    }
    if (has_room_for(*part)) {
      take_accesses(*part, period);
      take_checksums(*part, period);
    } else {
      was_cut = true;
    }
    if (!part->last)
      continue;
    period.index = part->index;
    period.start_ns = trace_.since_start(part->start_ns);
    period.is_driven = part->flags & trace::kPeriodDriven;
    clock_periods_ +=
        !(part->flags &
          (trace::kPeriodDriven | trace::kPeriodFinal | trace::kPeriodPartial));
    cut_periods_ += was_cut;
    if (options_.numbers) {
      for (auto &[thread, runs] : period.threads)
        std::ranges::sort(runs, {},
                          [](const GranuleRun &r) { return r.first; });
      std::ranges::sort(period.checksums, {},
                        [](const HashedRun &r) { return r.run.first; });
    }
    return true;
  }
  return false;
}

std::uint64_t ProcessPeriods::granule_of(std::uint64_t key) const {
  if (!options_.numbers)
    return key;
  const auto anchor = anchors_.find(key >> kDistanceBits);
  const std::uint64_t distance =
      (key & ((std::uint64_t{1} << kDistanceBits) - 1)) - kNoDistance;
  return anchor == anchors_.end() ? 0 : anchor->second + distance;
}

const Place *ProcessPeriods::place_of(std::uint64_t key) const {
  const std::uint64_t granule = granule_of(key);
  const Place *place = places_.find(granule);
  return place ? place : later_places().find(granule);
}

std::string ProcessPeriods::words(std::uint64_t key) const {
  const Place *place = place_of(key);
  return place ? place->words(granule_of(key), trace_.header().granule_shift)
               : std::string("[unknown]");
}

} // namespace pagetide::tools
