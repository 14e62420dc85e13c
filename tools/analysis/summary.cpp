//===- summary.cpp - What a report says of one trace ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/summary.h"

#include "analysis/granule_set.h"
#include "analysis/mapping_names.h"
#include "analysis/report_limits.h"
#include "support/text_format.h"
#include "trace/runs.h"
#include "trace/trace_records.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <tuple>

namespace pagetide::tools {

namespace {

/// Sums up, by the name of the mapping, the granules that periods touched.
class MappingUses {
public:
  struct Use {
    Use(std::string name, MemoryBudget &budget)
        : name(std::move(name)), distinct(budget) {}

    std::string name;
    AccessCounts counts; ///< summed over periods
    GranuleSet distinct; ///< certain ones
  };

  MappingUses(unsigned granule_shift, MemoryBudget &budget)
      : budget_(budget),
        names_(granule_shift,
               [this](std::size_t name, const GranuleRun &piece,
                      const PeriodTime &) { count(name, piece); }) {}

  void set_mappings(const Mappings &mappings) { names_.set_mappings(mappings); }
  void forget_mappings() { names_.forget_mappings(); }
  /// Runs of one period, sorted and without overlap. Runs that were only
  /// carried do not count.
  void add(std::span<const GranuleRun> runs) {
    known_.clear();
    for (const GranuleRun &run : runs)
      if (!AccessKinds(run.flags).carried)
        known_.push_back(run);
    names_.divide(known_, {});
  }

  void end_period() { names_.end_period(); }
  /// Call once at the end. Granules that are in no list count as unknown.
  void finish() { names_.finish(); }

  /// The mappings that were touched, the busiest first.
  std::vector<const Use *> busiest() const {
    std::vector<const Use *> uses;
    for (const Use &use : uses_)
      if (use.counts != AccessCounts())
        uses.push_back(&use);
    std::sort(uses.begin(), uses.end(), [](const Use *a, const Use *b) {
      return std::tie(b->counts.accessed, b->counts.may, a->name) <
             std::tie(a->counts.accessed, a->counts.may, b->name);
    });
    return uses;
  }

private:
  void count(std::size_t name, const GranuleRun &piece) {
    while (uses_.size() <= name)
      uses_.emplace_back(names_.name(uses_.size()), budget_);
    Use &target = uses_[name];
    target.counts.add(piece);
    if (AccessKinds(piece.flags).accessed)
      target.distinct.insert(piece.first, piece.end());
  }

  MemoryBudget &budget_;
  MappingNames names_;
  std::vector<Use> uses_; ///< by the numbers of their names
  std::vector<GranuleRun> known_;
};

constexpr std::size_t kMaxNotes = 1000;
constexpr std::size_t kMaxMappings = 1000;
constexpr std::size_t kMaxNoteText = 4096;
/// Reasons for having no cut.
constexpr std::size_t kMaxReasons = 20;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/// Counts of one kind: of the period being read, of each period, and of all
/// periods.
class Quantity {
public:
  explicit Quantity(MemoryBudget &budget) : distinct_(budget) {}

  void add(const GranuleRun &run) {
    period_ += run.count;
    distinct_.insert(run.first, run.end());
  }

  /// Forgets a period that was not read to its end.
  void begin_period() { period_ = 0; }
  std::uint64_t counted() const { return period_; }
  void end_period() {
    counts_.add(period_);
    period_ = 0;
  }

  /// With marks off, what a period lacks is unknown.
  void end_gap() {
    has_gap_ = true;
    period_ = 0;
  }

  Figures figures() const {
    return {counts_.percentile(0.5), counts_.percentile(0.95),
            counts_.maximum(),       counts_.sum(),
            distinct_.count(),       distinct_.is_lower_bound() || has_gap_};
  }

private:
  std::uint64_t period_ = 0;
  bool has_gap_ = false;
  Distribution counts_;
  GranuleSet distinct_;
};

class Summarizer {
public:
  Summarizer(TraceReader &reader, Summary &summary)
      : reader_(reader), summary_(summary),
        mappings_(reader.header().granule_shift, budget_) {
    summary.path = reader.name();
    summary.header = reader.header();
    end_ns_ = reader.header().monotonic_ns;
  }

  void run() {
    Frame frame;
    while (reader_.next(frame))
      add_frame(frame);
    mappings_.finish();

    std::sort(summary_.cuts.reasons.begin(), summary_.cuts.reasons.end(),
              [](const auto &a, const auto &b) {
                return std::tie(b.second, a.first) <
                       std::tie(a.second, b.first);
              });

    summary_.completeness = reader_.completeness();
    summary_.duration_ns = end_ns_ - summary_.header.monotonic_ns;
    summary_.accessed = accessed_.figures();
    summary_.read = read_.figures();
    summary_.written = written_.figures();
    summary_.carried = carried_.figures();
    summary_.unmarked = unmarked_.figures();
    summary_.may = may_.figures();
    summary_.may_read = may_read_.figures();
    summary_.may_written = may_written_.figures();
    for (const MappingUses::Use *use : mappings_.busiest()) {
      if (summary_.mappings.size() == kMaxMappings)
        break;
      summary_.mappings.push_back({use->name, use->counts,
                                   use->distinct.count(),
                                   use->distinct.is_lower_bound()});
    }
  }

private:
  void add_frame(const Frame &frame) {
    summary_.end.reset();
    switch (frame.type) {
    case trace::FrameType::kRunId:
      summary_.run_id = frame.run_id;
      break;
    case trace::FrameType::kProcess:
      summary_.process = frame.process;
      break;
    case trace::FrameType::kMappings:
      if (frame.lost_mappings)
        mappings_.forget_mappings();
      mappings_.set_mappings(frame.mappings);
      break;
    case trace::FrameType::kThreads:
      for (const ThreadRecord &record : frame.threads.records)
        summary_.exact_in_windows +=
            record.event == trace::ThreadEvent::kExactSince;
      summary_.threads.see(frame.threads);
      break;
    case trace::FrameType::kPeriod:
      if (frame.lost_mappings)
        mappings_.forget_mappings();
      thread_losses_ += frame.lost_threads;
      add_part(frame.period);
      break;
    case trace::FrameType::kNote:
      ++summary_.note_count;
      if (summary_.notes.size() < kMaxNotes)
        summary_.notes.push_back({frame.note.time_ns, frame.note.period,
                                  frame.note.code,
                                  cut_text(frame.note.text, kMaxNoteText)});
      break;
    case trace::FrameType::kCut:
      cut_ = frame.cut;
      break;
    case trace::FrameType::kKernelWrites: // pagetide audit
    case trace::FrameType::kRegions:
    case trace::FrameType::kPeriodSites: // pagetide report sites
    case trace::FrameType::kSiteTable:
      break;
    case trace::FrameType::kEnd:
      summary_.end = frame.end;
      end_ns_ = std::max(end_ns_, frame.end.time_ns);
      break;
    }
  }

  void add_part(const PeriodPart &part) {
    if (part.first)
      for (Quantity *quantity : quantities())
        quantity->begin_period();
    const std::span<const GranuleRun> runs =
        union_of_sections(part, union_scratch_);
    for (const GranuleRun &run : runs) {
      const AccessKinds kinds(run.flags);
      const AccessKinds possible(possible_flags(run.flags));
      if (kinds.accessed)
        accessed_.add(run);
      if (kinds.read)
        read_.add(run);
      if (kinds.written)
        written_.add(run);
      if (kinds.carried)
        carried_.add(run);
      if (kinds.may)
        may_.add(run);
      if (run.flags & trace::kRunUnmarked)
        unmarked_.add(run);
      if (possible.read)
        may_read_.add(run);
      if (possible.written)
        may_written_.add(run);
    }
    mappings_.add(runs);
    if (summary_.per_thread())
      summary_.threads.add(part, thread_losses_);
    for (const ChecksumRun &run : part.checksum_runs) {
      ChecksumSummary &sums = summary_.checksums;
      switch (static_cast<trace::ChecksumState>(run.state)) {
      case trace::ChecksumState::kStable:
        sums.stable += run.count;
        break;
      case trace::ChecksumState::kUnstable:
        sums.unstable += run.count;
        break;
      case trace::ChecksumState::kGone:
        sums.gone += run.count;
        break;
      case trace::ChecksumState::kUnreadable:
        sums.unreadable += run.count;
        break;
      case trace::ChecksumState::kNone:
        break;
      }
    }
    if (part.last)
      end_period(part);
  }

  void add_cut(const Cut &cut) {
    CutSummary &cuts = summary_.cuts;
    if (cut.time_ns != 0) {
      ++cuts.cuts;
      cuts.pause_ns.add(cut.pause_ns);
      cuts.marked.add(cut.marked);
      cuts.unsettled.add(cut.unsettled);
      return;
    }
    ++cuts.without;
    const std::string reason = cut_text(cut.reason, kMaxNoteText);
    const auto found =
        std::find_if(cuts.reasons.begin(), cuts.reasons.end(),
                     [&](const auto &known) { return known.first == reason; });
    if (found != cuts.reasons.end())
      ++found->second;
    else if (cuts.reasons.size() < kMaxReasons)
      cuts.reasons.emplace_back(reason, 1);
    else
      cuts.reasons_left_out = true;
  }

  void end_period(const PeriodPart &part) {
    mappings_.end_period();
    ++summary_.periods;
    summary_.driven_periods += (part.flags & trace::kPeriodDriven) != 0;
    if (part.flags & trace::kPeriodOff) {
      ++summary_.off_periods;
      summary_.off_ns += part.end_ns - part.start_ns;
    }
    summary_.final_periods += (part.flags & trace::kPeriodFinal) != 0;
    summary_.harvested_periods += (part.flags & trace::kPeriodHarvested) != 0;
    summary_.partial_periods += (part.flags & trace::kPeriodPartial) != 0;
    summary_.overruns = saturating_add(summary_.overruns, part.overruns);
    end_ns_ = std::max(end_ns_, part.end_ns);

    // The process may have died between the frames of cut and period.
    if (cut_ && cut_->index == part.index &&
        (part.flags & (trace::kPeriodHarvested | trace::kPeriodPartial)) == 0)
      add_cut(*cut_);
    cut_.reset();

    if (part.flags & trace::kPeriodOff) {
      for (Quantity *quantity : quantities())
        quantity->end_gap();
      return;
    }
    const std::uint64_t accessed = accessed_.counted();
    for (Quantity *quantity : quantities())
      quantity->end_period();
    summary_.curve.add(part.start_ns, part.end_ns, accessed);
  }

  std::array<Quantity *, 8> quantities() {
    return {&accessed_, &read_, &written_,  &carried_,
            &unmarked_, &may_,  &may_read_, &may_written_};
  }

  TraceReader &reader_;
  Summary &summary_;
  MemoryBudget budget_{kSetBytes};
  Quantity accessed_{budget_};
  Quantity read_{budget_};
  Quantity written_{budget_};
  Quantity carried_{budget_};
  Quantity unmarked_{budget_};
  Quantity may_{budget_};
  Quantity may_read_{budget_};
  Quantity may_written_{budget_};
  MappingUses mappings_;
  std::vector<GranuleRun> union_scratch_;
  std::uint64_t thread_losses_ = 0; ///< how often frames of them were lost
  std::uint64_t end_ns_ = 0;
  std::optional<Cut> cut_; ///< of the period that comes next
};

} // namespace

Summary summarize(TraceReader reader) {
  Summary summary;
  Summarizer(reader, summary).run();
  return summary;
}

Summary summarize(const std::string &path) {
  Summary summary = summarize(TraceReader::open_with_progress(path));
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  summary.file_bytes = error ? 0 : bytes;
  return summary;
}

} // namespace pagetide::tools
