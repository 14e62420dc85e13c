//===- pair_comparison.cpp - Where two processes differ -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/pair_comparison.h"

#include "trace/runs.h"

#include <algorithm>
#include <functional>

namespace pagetide::tools {

namespace {

/// Ranges of periods that only one run has.
constexpr std::size_t kMaxLone = 65536;
constexpr std::size_t kMaxMappings = 16384;
constexpr const char kOtherMappings[] = "[other mappings]";

constexpr auto kStable = static_cast<unsigned>(trace::ChecksumState::kStable);
constexpr auto kNoChecksum = static_cast<unsigned>(trace::ChecksumState::kNone);

/// Calls visit(first, end, a, b) for the pieces of two lists of ranges, each
/// sorted and without overlap. `a` and `b` point to the ranges in which the
/// piece lies, or are null.
template <typename Range, typename Bounds, typename Visit>
void sweep(std::span<const Range> a, std::span<const Range> b, Bounds bounds,
           Visit visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  std::uint64_t at = 0;
  while (i < a.size() || j < b.size()) {
    const Range *in_a = i < a.size() ? &a[i] : nullptr;
    const Range *in_b = j < b.size() ? &b[j] : nullptr;
    const std::uint64_t first_a =
        in_a ? std::max<std::uint64_t>(bounds(*in_a).first, at) : UINT64_MAX;
    const std::uint64_t first_b =
        in_b ? std::max<std::uint64_t>(bounds(*in_b).first, at) : UINT64_MAX;
    const std::uint64_t first = std::min(first_a, first_b);
    std::uint64_t end = UINT64_MAX;
    for (const auto &[range, range_first] :
         {std::pair(in_a, first_a), std::pair(in_b, first_b)})
      if (range)
        end = std::min<std::uint64_t>(
            end, range_first > first ? range_first : bounds(*range).end());
    if (end > first)
      visit(first, end, first_a == first ? in_a : nullptr,
            first_b == first ? in_b : nullptr);
    at = std::max(end, at);
    i += in_a && bounds(*in_a).end() <= at;
    j += in_b && bounds(*in_b).end() <= at;
  }
}

/// What is not mapped in either run has no contents: they are neither equal nor
/// could they differ.
void add_without_hash(unsigned state_a, unsigned state_b, std::uint64_t count,
                      std::uint64_t &gone, Tally &tally) {
  constexpr auto kGone = static_cast<unsigned>(trace::ChecksumState::kGone);
  (state_a == kGone && state_b == kGone ? gone : tally.open) += count;
}

const Completeness &completeness_of(const ProcessPeriods &process) {
  return process.trace().completeness();
}

} // namespace

unsigned AccessView::certain(unsigned flags) const {
  const unsigned certain = certain_flags(flags);
  if (!tells_writes)
    return certain ? trace::kRunAccessed : 0;
  return certain & (records_reads ? trace::kRunRead | trace::kRunWritten
                                  : trace::kRunWritten);
}

unsigned AccessView::possible(unsigned flags) const {
  unsigned all = certain_flags(flags) | possible_flags(flags);
  // Another period's write may have come in this one.
  if (flags & trace::kRunCarried)
    all |= trace::kRunWritten;
  return certain(all);
}

PairComparison::PairComparison(ProcessPeriods &a, ProcessPeriods &b,
                               AccessView view, const DiffOptions &options,
                               bool by_periods, std::size_t pair)
    : a_(a), b_(b), view_(view), options_(options), by_periods_(by_periods),
      pair_(pair) {}

void PairComparison::run() {
  ComparedPeriod periods[2];
  bool has_a = a_.next(periods[0]);
  bool has_b = b_.next(periods[1]);
  const auto next_a = [&] {
    keep(periods[0], 0);
    has_a = a_.next(periods[0]);
  };
  const auto next_b = [&] {
    keep(periods[1], 1);
    has_b = b_.next(periods[1]);
  };
  while (has_a || has_b) {
    if (has_a && has_b && periods[0].index == periods[1].index) {
      if (by_periods_)
        compare(periods[0], periods[1]);
      next_a();
      next_b();
    } else if (!has_b || (has_a && periods[0].index < periods[1].index)) {
      add_lone(periods[0], true);
      next_a();
    } else {
      add_lone(periods[1], false);
      next_b();
    }
  }
  if (by_periods_)
    count_lone();
  compare_whole();
  figures_.unplaced = a_.unplaced() + b_.unplaced();
  figures_.cut_periods = a_.cut_periods() + b_.cut_periods();
  figures_.pages_left_out = whole_.is_lower_bound();
}

void PairComparison::keep(const ComparedPeriod &period, std::size_t side) {
  for (const auto &[thread, runs] : period.threads)
    for (const GranuleRun &run : runs)
      whole_.visit(run.first, run.end(), [&](WholePage &page) {
        page.sides[side].flags |= static_cast<std::uint8_t>(run.flags);
      });
  for (const HashedRun &each : period.checksums) {
    if (!each.run.stable()) {
      whole_.visit(each.run.first, each.run.end(), [&](WholePage &page) {
        page.sides[side].state = each.run.state;
        page.sides[side].hash = page.sides[side].relative = 0;
        page.sides[side].has_relative = false;
      });
      continue;
    }
    // A granule at a time: the table leaves out those that it has no room for.
    for (std::uint64_t i = 0; i < each.run.count; ++i)
      whole_.visit(each.run.first + i, each.run.first + i + 1,
                   [&](WholePage &page) {
                     const std::size_t hash = each.first_hash + i;
                     const auto relative = period.relative_hash(hash);
                     WholeSide &last = page.sides[side];
                     last.state = each.run.state;
                     last.hash = period.hashes[hash];
                     last.relative = relative.value_or(0);
                     last.has_relative = relative.has_value();
                   });
  }
}

void PairComparison::add_lone(const ComparedPeriod &period, bool in_a) {
  if (!lone_.empty() && lone_.back().in_a == in_a &&
      lone_.back().last + 1 == period.index)
    lone_.back().last = period.index;
  else if (lone_.size() < kMaxLone)
    lone_.push_back({period.index, period.index, period.start_ns, in_a});
  else
    ++lone_left_out_;
}

/// A period that the other trace has lost may be equal.
void PairComparison::count_lone() {
  figures_.periods.open += lone_left_out_;
  for (const LonePeriods &range : lone_) {
    const Completeness &other = completeness_of(range.in_a ? b_ : a_);
    bool is_told = false;
    for (std::uint64_t period = range.first; period <= range.last; ++period) {
      if (other.lacks(period)) {
        ++figures_.periods.open;
        continue;
      }
      ++(range.in_a ? figures_.periods.only_a : figures_.periods.only_b);
      if (is_told)
        continue;
      is_told = true;
      Difference difference;
      difference.kind = DifferenceKind::kPeriod;
      difference.pair = pair_;
      difference.in_a = range.in_a;
      difference.in_b = !range.in_a;
      difference.period = period;
      difference.start_ns = range.start_ns;
      found_.push_back(difference);
    }
  }
  std::ranges::sort(found_, {}, &Difference::order);
  if (found_.size() > options_.top)
    found_.resize(options_.top);
}

void PairComparison::compare(const ComparedPeriod &a, const ComparedPeriod &b) {
  period_ = a.index;
  start_ns_ = a.start_ns;
  differences_ = 0;
  const std::uint64_t open = figures_.accesses.open + figures_.checksums.open;
  const std::vector<GranuleRun> none;
  for (const auto &[thread, runs] : a.threads) {
    const auto same = b.threads.find(thread);
    compare_accesses(thread, runs,
                     same == b.threads.end() ? none : same->second);
  }
  for (const auto &[thread, runs] : b.threads)
    if (!a.threads.contains(thread))
      compare_accesses(thread, none, runs);
  compare_checksums(a, b);
  if (differences_ != 0)
    ++figures_.periods.different;
  else if (figures_.accesses.open + figures_.checksums.open == open)
    ++figures_.periods.equal;
  else
    ++figures_.periods.open;
  end_period();
}

void PairComparison::compare_accesses(std::size_t thread,
                                      std::span<const GranuleRun> a,
                                      std::span<const GranuleRun> b) {
  sweep(a, b, std::identity(),
        [&](std::uint64_t first, std::uint64_t end, const GranuleRun *in_a,
            const GranuleRun *in_b) {
          take_access(first, end - first, in_a ? in_a->flags : 0,
                      in_b ? in_b->flags : 0, thread, figures_.accesses);
        });
}

void PairComparison::compare_checksums(const ComparedPeriod &a,
                                       const ComparedPeriod &b) {
  sweep(
      std::span(a.checksums), std::span(b.checksums),
      [](const HashedRun &each) -> const ChecksumRun & { return each.run; },
      [&](std::uint64_t first, std::uint64_t end, const HashedRun *in_a,
          const HashedRun *in_b) {
        if (!in_a || !in_b || in_a->run.state == kNoChecksum ||
            in_b->run.state == kNoChecksum)
          return;
        if (!in_a->run.stable() || !in_b->run.stable()) {
          add_without_hash(in_a->run.state, in_b->run.state, end - first,
                           figures_.gone, figures_.checksums);
          return;
        }
        for (std::uint64_t key = first; key < end; ++key)
          take_checksum(key, content_of(a, *in_a, key),
                        content_of(b, *in_b, key), figures_.shifted,
                        figures_.checksums);
      });
}

void PairComparison::compare_whole() {
  period_ = start_ns_ = differences_ = 0;
  // What differs in whole runs is told if periods are not compared.
  whole_.each([&](std::uint64_t key, const WholePage &page) {
    const auto &[a, b] = page.sides;
    if (a.flags != 0 || b.flags != 0)
      take_access(key, 1, a.flags, b.flags, 0, figures_.pages);
    if (a.state == kNoChecksum || b.state == kNoChecksum)
      return;
    if (a.state == kStable && b.state == kStable)
      take_checksum(key, content_of(a), content_of(b), figures_.final_shifted,
                    figures_.final_checksums);
    else
      add_without_hash(a.state, b.state, 1, figures_.final_gone,
                       figures_.final_checksums);
  });
  end_period();
}

void PairComparison::take_access(std::uint64_t key, std::uint64_t granules,
                                 unsigned flags_a, unsigned flags_b,
                                 std::size_t thread, Tally &tally) {
  const unsigned a = view_.certain(flags_a);
  const unsigned b = view_.certain(flags_b);
  if (a == b) {
    tally.equal += a ? granules : 0;
    return;
  }
  const unsigned possible_a = view_.possible(flags_a);
  const unsigned possible_b = view_.possible(flags_b);
  if (!(a & ~possible_b) && !(b & ~possible_a)) {
    tally.open += granules;
    return;
  }
  Difference difference;
  difference.in_a = possible_a;
  difference.in_b = possible_b;
  difference.kind = possible_a && possible_b ? DifferenceKind::kAccess
                                             : DifferenceKind::kPage;
  difference.thread = thread;
  difference.granules = granules;
  difference.flags_a = a;
  difference.flags_b = b;
  count(std::move(difference), key, tally,
        !possible_b   ? &Tally::only_a
        : !possible_a ? &Tally::only_b
                      : &Tally::different);
}

PairComparison::Content PairComparison::content_of(const ComparedPeriod &period,
                                                   const HashedRun &run,
                                                   std::uint64_t key) {
  const std::size_t at = run.first_hash + (key - run.run.first);
  return {period.hashes[at], period.relative_hash(at)};
}

PairComparison::Content PairComparison::content_of(const WholeSide &side) {
  return {side.hash,
          side.has_relative ? std::optional(side.relative) : std::nullopt};
}

void PairComparison::take_checksum(std::uint64_t key, const Content &a,
                                   const Content &b, std::uint64_t &shifted,
                                   Tally &tally) {
  if (a.hash == b.hash) {
    ++tally.equal;
    return;
  }
  const bool is_known = a.relative && b.relative;
  if (options_.relative && is_known && *a.relative == *b.relative) {
    ++tally.equal;
    ++shifted;
    return;
  }
  figures_.shifts_are_known &= is_known;
  Difference difference;
  difference.kind = DifferenceKind::kChecksum;
  difference.granules = 1;
  difference.hash_a = a.hash;
  difference.hash_b = b.hash;
  count(std::move(difference), key, tally, &Tally::different);
}

bool PairComparison::is_ignored(const Place *place) const {
  return !options_.ignored.empty() &&
         (place ? options_.ignored.contains(place->name) ||
                      options_.ignored.contains(place->kind)
                : options_.ignored.contains("[unknown]"));
}

/// Neighbouring granules may be in different mappings; the first one's counts.
void PairComparison::count(Difference difference, std::uint64_t key,
                           Tally &tally, std::uint64_t Tally::*kind) {
  const ProcessPeriods &side = difference.in_a ? a_ : b_;
  const bool is_whole =
      &tally == &figures_.pages || &tally == &figures_.final_checksums;
  const Place *place = side.place_of(key);
  const std::string name = place ? place->name : "[unknown]";
  // A page can be in one mapping in A and in another one in B.
  difference.ignored = (difference.in_a && is_ignored(a_.place_of(key))) ||
                       (difference.in_b && is_ignored(b_.place_of(key)));
  if (difference.ignored) {
    figures_.ignored += is_whole == by_periods_ ? 0 : difference.granules;
  } else {
    tally.*kind += difference.granules;
    differences_ += difference.granules;
  }
  // Each difference is in the tables once: by periods, or of whole runs.
  if (is_whole == by_periods_)
    return;
  const bool has_room =
      mappings_.size() < kMaxMappings || mappings_.contains(name);
  MappingDifferences &mapping = mappings_[has_room ? name : kOtherMappings];
  mapping.ignored = difference.ignored;
  (difference.kind == DifferenceKind::kChecksum ? mapping.checksums
   : difference.kind == DifferenceKind::kAccess ? mapping.accesses
   : difference.in_a                            ? mapping.only_a
                     : mapping.only_b) += difference.granules;
  if (difference.ignored || found_.size() >= options_.top)
    return;
  in_period_.emplace_back(key, std::move(difference));
  // Keep the first ones by key: checksums come after all accesses.
  if (in_period_.size() >= 2 * options_.top + 2) {
    sort_by_key();
    in_period_.resize(options_.top);
  }
}

void PairComparison::sort_by_key() {
  std::ranges::sort(in_period_, {}, [](const auto &entry) {
    return std::tuple(entry.first, entry.second.kind, entry.second.thread);
  });
}

void PairComparison::end_period() {
  sort_by_key();
  for (auto &[key, difference] : in_period_) {
    if (found_.size() >= options_.top)
      break;
    difference.pair = pair_;
    difference.period = period_;
    difference.start_ns = start_ns_;
    difference.granule_a = difference.in_a ? a_.granule_of(key) : 0;
    difference.granule_b = difference.in_b ? b_.granule_of(key) : 0;
    difference.mapping = (difference.in_a ? a_ : b_).words(key);
    found_.push_back(std::move(difference));
  }
  in_period_.clear();
}

} // namespace pagetide::tools
