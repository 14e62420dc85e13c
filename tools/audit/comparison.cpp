//===- comparison.cpp - Which written pages no mark covers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/comparison.h"

#include "audit/address_space.h"
#include "audit/page_range.h"
#include "support/page_bytes.h"
#include "support/pieces.h"
#include "trace/runs.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxListedPages = 1 << 20;
constexpr std::size_t kMaxLostNotes = 64;
constexpr std::size_t kMaxUnseen = 1024;

/// What the trace says about one period.
struct PeriodSets {
  std::uint64_t index = 0;
  std::vector<PageRange> marked;  ///< as written, or as possibly written
  std::vector<PageRange> certain; ///< as certainly written in this period
  bool has_kernel = false;
  std::vector<Segment> written; ///< that the kernel saw, by group
  std::vector<PageRange> seen;  ///< the same without groups, and touched pages
  std::vector<PageRange> fresh; ///< written in it, or deferred to it
};

class Comparison {
public:
  Comparison(const trace::FileHeader &header, const ModuleLookup &look_up)
      : geometry_(geometry_of(header)), page_shift_(page_shift_of(header)),
        space_(page_shift_, look_up) {
    audit_.header = header;
    audit_.tells_writes = abi::tells_writes(geometry_.layout);
  }

  void take(const Frame &frame) {
    switch (frame.type) {
    case trace::FrameType::kProcess:
      audit_.process = frame.process;
      space_.set_executable(frame.process.executable);
      break;
    case trace::FrameType::kMappings:
      space_.set_mappings(frame.mappings);
      break;
    case trace::FrameType::kRegions:
      space_.set_regions(frame.regions);
      for (const Region &region : frame.regions.regions) {
        if (region.kind != trace::RegionKind::kUnseen ||
            audit_.unseen.size() >= kMaxUnseen)
          continue;
        const auto same = [&](const Region &r) {
          return r.start == region.start && r.text == region.text;
        };
        if (std::none_of(audit_.unseen.begin(), audit_.unseen.end(), same))
          audit_.unseen.push_back(region);
      }
      break;
    case trace::FrameType::kKernelWrites:
      take(frame.kernel_writes);
      break;
    case trace::FrameType::kPeriod:
      take(frame.period);
      break;
    case trace::FrameType::kNote:
      if (frame.note.code == trace::NoteCode::kLost &&
          audit_.lost.size() < kMaxLostNotes)
        audit_.lost.push_back(frame.note);
      break;
    case trace::FrameType::kEnd:
      audit_.end = frame.end;
      return;
    default:
      break;
    }
    audit_.end.reset();
  }

  Audit finish(const Completeness &completeness) {
    lacks_next_ = completeness.integrity() == Integrity::kDamaged &&
                  !recent_.empty() &&
                  completeness.lacks(recent_.back().index + 1);
    if (!recent_.empty())
      settle(recent_.size() - 1);
    std::vector<AuditGroup> &groups = space_.groups();
    for (auto &[key, page] : pages_) {
      space_.describe(key.group, page);
      groups[key.group].pages.push_back(std::move(page));
    }
    for (AuditGroup &group : groups) {
      group.distinct = group.pages.size();
      std::sort(group.pages.begin(), group.pages.end(),
                [](const UncoveredPage &a, const UncoveredPage &b) {
                  return a.address < b.address;
                });
      if (group.written != 0)
        audit_.groups.push_back(std::move(group));
    }
    sort_groups(audit_.groups);
    audit_.modules = space_.modules();
    return std::move(audit_);
  }

private:
  static unsigned page_shift_of(const trace::FileHeader &header) {
    return header.page_bytes >= kPageBytes &&
                   std::has_single_bit(header.page_bytes)
               ? static_cast<unsigned>(std::countr_zero(header.page_bytes))
               : std::countr_zero(kPageBytes);
  }

  void take(const KernelWrites &part) {
    audit_.has_kernel_writes = true;
    if (open_.index != part.index)
      open_ = {};
    if (part.index > last_kernel_period_ + 1)
      // The marks of the calls that were under way are in a period that nobody
      // looked at.
      deferred_.clear();
    last_kernel_period_ = part.index;
    space_.set_exiting(part.exiting);
    std::vector<PageRange> &fresh = open_.fresh;
    const std::vector<PageRange> before = std::exchange(deferred_, {});
    fresh.insert(fresh.end(), before.begin(), before.end());
    for (const GranuleRun &run : part.runs) {
      append(open_.seen, {run.first, run.end()});
      if (!(run.flags & trace::kKernelWritten)) {
        audit_.touched += run.count;
        continue;
      }
      fresh.push_back({run.first, run.end()});
    }
    if (part.last)
      for (const PageRange &range : united({&fresh}))
        split(
            range, space_.in_flight(),
            [&](std::uint64_t a, std::uint64_t b) {
              deferred_.push_back({a, b});
            },
            [&](std::uint64_t a, std::uint64_t b) { attribute({a, b}); });
    kernel_whole_ = part.last;
    open_.index = part.index;
  }

  void take(const PeriodPart &part) {
    if (open_.index != part.index) { // the kernel saw another period's writes
      open_.written.clear();
      open_.seen.clear();
      kernel_whole_ = false;
    }
    open_.index = part.index;
    add_marks(union_of_sections(part, scratch_));
    if (!part.last)
      return;
    ++audit_.periods;
    space_.end_period();
    open_.has_kernel = kernel_whole_;
    kernel_whole_ = false;
    recent_.push_back(std::exchange(open_, PeriodSets()));
    if (recent_.size() >= 2)
      settle(recent_.size() - 2);
    if (recent_.size() > 2)
      recent_.pop_front();
  }

  /// Adds pages seen written to the open period, by group.
  void attribute(PageRange range) {
    constexpr std::size_t kUnknown = SIZE_MAX;
    Pieces(space_.segments())
        .divide(range.first, range.end,
                [&](std::uint64_t first, std::uint64_t end, const Segment *s) {
                  open_.written.push_back(
                      {first, end, s ? s->group : kUnknown});
                });
  }

  void add_marks(std::span<const GranuleRun> runs) {
    constexpr unsigned kWritten = trace::kRunWritten | trace::kRunAccessed;
    constexpr unsigned kPossibly =
        kWritten | trace::kRunCarried | trace::kRunMayWritten;
    for (const GranuleRun &run : runs) {
      // Cuts list what the kernel saw, too.
      if (!(run.flags & kPossibly) || run.flags & trace::kRunUnmarked)
        continue;
      append(open_.marked, pages_of(run.first, run.end()));
      if (run.flags & trace::kRunWritten)
        append(open_.certain, pages_of(run.first, run.end()));
    }
  }

  /// The pages that granules [first, end) lie in.
  PageRange pages_of(std::uint64_t first, std::uint64_t end) const {
    const unsigned granule = geometry_.granule_shift;
    if (granule >= page_shift_)
      return {first << (granule - page_shift_), end << (granule - page_shift_)};
    const unsigned shift = page_shift_ - granule;
    return {first >> shift, ((end - 1) >> shift) + 1};
  }

  /// Whether the periods before and after recent_[at] were read: the marks of
  /// what was written in this one can be there.
  bool has_neighbours(std::size_t at) const {
    const std::uint64_t index = recent_[at].index;
    const bool has_former =
        index == 0 || (at > 0 && recent_[at - 1].index == index - 1);
    const bool has_next = at + 1 < recent_.size()
                              ? recent_[at + 1].index == index + 1
                              : !lacks_next_;
    return has_former && has_next;
  }

  /// Compares the period at recent_[at] with its neighbours.
  void settle(std::size_t at) {
    PeriodSets &period = recent_[at];
    if (!period.has_kernel || !has_neighbours(at))
      return;
    ++audit_.compared;
    std::vector<const std::vector<PageRange> *> marks;
    std::vector<const std::vector<PageRange> *> seen;
    for (std::size_t other = at == 0 ? 0 : at - 1;
         other < recent_.size() && other <= at + 1; ++other) {
      marks.push_back(&recent_[other].marked);
      seen.push_back(&recent_[other].seen);
    }
    const std::vector<PageRange> marked = united(marks);
    for (Segment &piece : period.written) {
      if (piece.group == SIZE_MAX) // in no mapping of the list then in force
        continue;
      AuditGroup &group = space_.groups()[piece.group];
      const auto concern = static_cast<std::size_t>(concern_of(group.kind));
      if (group.kind == PageKind::kRuntime)
        continue; // not the program's concern
      group.written += piece.end - piece.first;
      audit_.written += piece.end - piece.first;
      audit_.written_by[concern] += piece.end - piece.first;
      split(
          {piece.first, piece.end}, marked,
          [&](std::uint64_t a, std::uint64_t b) {
            group.covered += b - a;
            audit_.covered += b - a;
          },
          [&](std::uint64_t a, std::uint64_t b) {
            audit_.uncovered_by[concern] += b - a;
            count_uncovered(piece.group, period.index, a, b);
          });
    }
    if (audit_.tells_writes) {
      const std::vector<PageRange> any = united(seen);
      std::vector<PageRange> mapped;
      for (const Segment &s : space_.segments())
        append(mapped, {s.first, s.end});
      for (const PageRange &range : period.certain)
        split(
            range, any, [](std::uint64_t, std::uint64_t) {},
            [&](std::uint64_t a, std::uint64_t b) {
              split(
                  {a, b}, mapped,
                  [&](std::uint64_t c, std::uint64_t d) {
                    audit_.marked_only += d - c;
                  },
                  [](std::uint64_t, std::uint64_t) {});
            });
    }
  }

  void count_uncovered(std::size_t group, std::uint64_t period,
                       std::uint64_t first, std::uint64_t end) {
    AuditGroup &target = space_.groups()[group];
    std::uint64_t &last = last_counted_[group];
    if (last != period + 1)
      ++target.periods;
    last = period + 1;
    if (end - first > kMaxListedPages - pages_.size()) {
      audit_.pages_left_out = true;
      return;
    }
    for (std::uint64_t page = first; page < end; ++page) {
      UncoveredPage &entry = pages_[{page, group}];
      if (entry.periods++ == 0) {
        entry.address = page << page_shift_;
        entry.first_period = period;
      }
      entry.last_period = period;
    }
  }

  Geometry geometry_;
  unsigned page_shift_;
  AddressSpace space_;
  Audit audit_;
  PeriodSets open_;
  bool kernel_whole_ = false;
  /// Pages seen written while a system call that may have written them was
  /// under way. They are compared with a later period, after the call has
  /// returned.
  std::vector<PageRange> deferred_;
  std::uint64_t last_kernel_period_ = 0;
  std::deque<PeriodSets> recent_; ///< at most three
  bool lacks_next_ = false;       ///< the period after those is damaged
  std::vector<GranuleRun> scratch_;
  struct PageKey {
    std::uint64_t page;
    std::size_t group;
    bool operator==(const PageKey &) const = default;
  };
  struct PageHash {
    std::size_t operator()(const PageKey &key) const {
      return key.page * 0x9E3779B97F4A7C15ull ^ key.group;
    }
  };
  std::unordered_map<PageKey, UncoveredPage, PageHash> pages_;
  std::map<std::size_t, std::uint64_t> last_counted_; ///< group -> period + 1
};

} // namespace

Audit audit_trace(TraceReader reader, const ModuleLookup &look_up) {
  Comparison comparison(reader.header(), look_up);
  Frame frame;
  while (reader.next(frame))
    comparison.take(frame);
  Audit audit = comparison.finish(reader.completeness());
  audit.path = reader.name();
  audit.completeness = reader.completeness();
  return audit;
}

} // namespace pagetide::tools
