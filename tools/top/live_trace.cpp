//===- live_trace.cpp - Follows a trace that is being written -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "top/live_trace.h"

#include "analysis/access_counts.h"
#include "analysis/report_limits.h"
#include "report/sites_report.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

using Clock = std::chrono::steady_clock;

/// Runs that the stretch holds at most: some 200 MB.
constexpr std::size_t kMaxRuns = std::size_t{8} << 20;
/// Sets of the figures, which live as long as figures() runs.
constexpr std::size_t kFigureBytes = 64u << 20;
/// The curve of sizes has one for each of these stretches.
constexpr std::uint64_t kSizeNs = 250'000'000;
constexpr std::size_t kMaxSizes = 1200; // five minutes
/// Frames that are read before the clock is looked at again.
constexpr unsigned kFramesAtOnce = 64;

LiveCounts counts_of(const AccessSets &sets) {
  return {sets.accessed.count(), sets.read.count(), sets.written.count()};
}

} // namespace

LiveTrace::LiveTrace(UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)) {
  begin_anew();
}

void LiveTrace::begin_anew() {
  UniqueFd fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd)
    throw Failure("{}: cannot be read: fcntl failed: {}", name_,
                  std::strerror(errno));
  TraceReader reader(std::make_unique<FileSource>(std::move(fd), name_), name_);
  reader.set_growing(!has_ended_);
  contents_ = std::make_unique<Contents>(
      std::move(reader),
      [this](std::size_t name, const GranuleRun &piece,
             const PeriodTime &period) { take_piece(name, piece, period); });
}

bool LiveTrace::is_being_written() const {
  // The lock is of this open file, and ends with it or here.
  if (::flock(fd_.get(), LOCK_SH | LOCK_NB) != 0)
    return errno == EWOULDBLOCK;
  ::flock(fd_.get(), LOCK_UN);
  return false;
}

void LiveTrace::set_ended() {
  has_ended_ = true;
  contents_->reader.set_growing(false);
}

bool LiveTrace::read(Clock::time_point deadline) {
  if (contents_->reader.was_cut_back())
    begin_anew();
  for (;;) {
    for (unsigned i = 0; i < kFramesAtOnce; ++i) {
      const bool has_frame = contents_->reader.next(frame_);
      // The writer may have replaced frames that it could not complete. Then
      // they are all sound when they are read again.
      if (contents_->reader.has_damage() && !was_damaged_) {
        was_damaged_ = true;
        begin_anew();
        continue;
      }
      if (!has_frame) {
        if (has_ended_)
          contents_->mappings.finish();
        return true;
      }
      take(frame_);
    }
    if (Clock::now() >= deadline)
      return false;
  }
}

void LiveTrace::take(const Frame &frame) {
  Contents &now = *contents_;
  now.end.reset();
  if (frame.lost_mappings && (frame.type == trace::FrameType::kMappings ||
                              frame.type == trace::FrameType::kPeriod))
    now.mappings.forget_mappings();
  switch (frame.type) {
  case trace::FrameType::kProcess:
    now.process = frame.process;
    break;
  case trace::FrameType::kMappings:
    now.mappings.set_mappings(frame.mappings);
    break;
  case trace::FrameType::kThreads:
    take_threads(frame.threads);
    break;
  case trace::FrameType::kSiteTable:
    now.sites.add(frame.site_table);
    break;
  case trace::FrameType::kPeriodSites:
    take_sites(frame.period_sites);
    break;
  case trace::FrameType::kPeriod:
    take_part(frame.period);
    break;
  case trace::FrameType::kEnd:
    now.end = frame.end;
    break;
  default:
    break;
  }
}

void LiveTrace::take_threads(const Threads &threads) {
  for (const ThreadRecord &record : threads.records) {
    const bool ended = record.event == trace::ThreadEvent::kEnd;
    const auto found = contents_->threads.find(record.tid);
    if (found == contents_->threads.end() &&
        (ended || contents_->threads.size() >= kMaxThreads))
      continue;
    ThreadState &state = contents_->threads[record.tid];
    state.runs = !ended;
    if (!record.name.empty())
      state.name = first_bytes(record.name, kMaxThreadName);
  }
}

void LiveTrace::take_sites(const PeriodSites &sites) {
  Contents &now = *contents_;
  if (sites.first || now.next_sites_period != sites.index)
    now.next_sites.clear();
  now.next_sites_period = sites.index;
  const std::size_t room = kMaxRuns - std::min(kMaxRuns, now.next_sites.size());
  now.next_sites.insert(
      now.next_sites.end(), sites.runs.begin(),
      sites.runs.begin() +
          static_cast<std::ptrdiff_t>(std::min(room, sites.runs.size())));
}

bool LiveTrace::has_room() {
  Contents &now = *contents_;
  while (now.runs >= kMaxRuns && now.stretch.size() > 1) {
    now.evicted_ns = now.stretch.front().middle_ns();
    drop_first();
  }
  if (now.runs >= kMaxRuns)
    return false;
  ++now.runs;
  return true;
}

void LiveTrace::drop_first() {
  contents_->runs -= contents_->stretch.front().runs();
  contents_->stretch.pop_front();
}

void LiveTrace::take_part(const PeriodPart &part) {
  Contents &now = *contents_;
  const PeriodTime time = {part.index, part.start_ns, part.end_ns};
  if (!now.is_open || now.stretch.back().time.index != part.index) {
    // The last parts of the one before are lost.
    if (now.is_open) {
      now.runs -= now.stretch.back().runs();
      now.stretch.pop_back();
    }
    now.stretch.push_back({time, {}, {}, {}, {}});
    now.is_open = true;
    now.size = 0;
    if (now.next_sites_period == part.index)
      for (const SiteRun &run : now.next_sites) {
        if (has_room())
          now.stretch.back().site_runs.push_back(run);
        else
          now.stretch.back().is_lower_bound = true;
      }
    now.next_sites.clear();
  }
  certain_.clear();
  append_certain(certain_, union_of_sections(part, scratch_));
  Period &period = now.stretch.back();
  for (const GranuleRun &run : certain_) {
    now.size += run.count;
    if (has_room())
      period.accesses.push_back(run);
    else
      period.is_lower_bound = true;
  }
  now.mappings.divide(certain_, time);
  if (is_per_thread())
    for (const PeriodPart::Section &section : part.sections)
      for (const GranuleRun &run : part.runs_of(section))
        if (const unsigned certain = certain_flags(run.flags)) {
          if (has_room())
            period.thread_runs.push_back(
                {{run.first, run.count, certain}, section.tid});
          else
            period.is_lower_bound = true;
        }
  if (part.last)
    end_period();
}

/// Pieces of an earlier period come when the list of mappings is known.
void LiveTrace::take_piece(std::size_t name, const GranuleRun &piece,
                           const PeriodTime &period) {
  std::deque<Period> &stretch = contents_->stretch;
  const bool fits = has_room();
  const auto found =
      std::find_if(stretch.rbegin(), stretch.rend(), [&](const Period &other) {
        return other.time.index <= period.index;
      });
  const bool is_there =
      found != stretch.rend() && found->time.index == period.index;
  if (fits && is_there)
    found->pieces.push_back({piece, name});
  else if (fits)
    --contents_->runs; // the period is older than the stretch
  else if (is_there)
    found->is_lower_bound = true;
}

void LiveTrace::end_period() {
  Contents &now = *contents_;
  now.is_open = false;
  now.mappings.end_period();
  ++now.periods;
  add_size(now.stretch.back().time);
  const std::uint64_t begin = stretch_start();
  // Periods do not have exactly the length that was asked for. By their middles
  // a second always has as many of them.
  while (now.stretch.size() > 1 && now.stretch.front().middle_ns() <= begin)
    drop_first();
}

/// Of the stretch that ends with the last period.
std::uint64_t LiveTrace::stretch_start() const {
  const std::uint64_t end = contents_->stretch.back().time.end_ns;
  return end - std::min(end, kStretchNs);
}

void LiveTrace::add_size(const PeriodTime &time) {
  std::deque<Size> &sizes = contents_->sizes;
  if (!sizes.empty() && time.end_ns <= sizes.back().start_ns + kSizeNs) {
    sizes.back().end_ns = time.end_ns;
    sizes.back().accessed = std::max(sizes.back().accessed, contents_->size);
    return;
  }
  sizes.push_back({time.start_ns, time.end_ns, contents_->size});
  if (sizes.size() > kMaxSizes)
    sizes.pop_front();
}

TimeCurve LiveTrace::recent_sizes() const {
  TimeCurve curve;
  for (const Size &size : contents_->sizes)
    curve.add(size.start_ns, size.end_ns, size.accessed);
  return curve;
}

LiveFigures LiveTrace::figures() const {
  const Contents &now = *contents_;
  LiveFigures figures;
  MemoryBudget budget(kFigureBytes);
  AccessSets all(budget);
  std::map<std::size_t, AccessSets> mappings;
  std::map<std::uint32_t, AccessSets> sites;
  const auto add_site = [&](std::uint32_t site, const SiteRun &run,
                            trace::RunFlags flag) {
    if (const std::uint32_t id = certain_site(site))
      sites.try_emplace(id, budget)
          .first->second.add({run.first, run.count, flag});
  };
  std::map<std::uint32_t, AccessSets> threads;
  for (const auto &[tid, state] : now.threads)
    if (state.runs)
      threads.try_emplace(tid, budget);
  const std::size_t whole = now.stretch.size() - now.is_open;
  for (std::size_t i = 0; i < whole; ++i) {
    const Period &period = now.stretch[i];
    figures.is_lower_bound |= period.is_lower_bound;
    for (const GranuleRun &run : period.accesses)
      all.add(run);
    for (const Piece &piece : period.pieces)
      mappings.try_emplace(piece.mapping, budget).first->second.add(piece.run);
    for (const SiteRun &run : period.site_runs) {
      add_site(run.read, run, trace::kRunRead);
      add_site(run.write, run, trace::kRunWritten);
    }
    for (const ThreadRun &run : period.thread_runs)
      threads.try_emplace(run.tid, budget).first->second.add(run.run);
  }
  if (whole != 0) {
    figures.periods = whole;
    figures.start_ns = now.stretch.front().time.start_ns;
    figures.end_ns = now.stretch[whole - 1].time.end_ns;
    figures.is_cut_short = now.evicted_ns > stretch_start();
  }
  figures.all = counts_of(all);
  figures.is_lower_bound |= all.is_lower_bound();
  for (const auto &[mapping, sets] : mappings) {
    figures.mappings.push_back({now.mappings.name(mapping), counts_of(sets)});
    figures.is_lower_bound |= sets.is_lower_bound();
  }
  for (const auto &[site, sets] : sites) {
    figures.sites.push_back(
        {short_site_text(now.sites, site), counts_of(sets)});
    figures.is_lower_bound |= sets.is_lower_bound();
  }
  for (const auto &[tid, sets] : threads) {
    const auto found = now.threads.find(tid);
    figures.threads.push_back(
        {tid, found == now.threads.end() ? "" : found->second.name,
         counts_of(sets)});
    figures.is_lower_bound |= sets.is_lower_bound();
  }
  return figures;
}

} // namespace pagetide::tools
