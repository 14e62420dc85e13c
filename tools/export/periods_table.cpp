//===- periods_table.cpp - A row for each period --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include <array>

namespace pagetide::tools {

using trace::ChecksumState;

namespace {

constexpr std::array<Column, 29> kPeriodsColumns = {{
    {"trace", "number of the trace in this export, from 1"},
    {"pid", "of the process"},
    {"period", "number of the period, from 0"},
    {"start_ns", "CLOCK_MONOTONIC"},
    {"end_ns", "CLOCK_MONOTONIC"},
    {"time_ns", "when it began, from the run's start on"},
    {"driven", "1: ended by the program, not by the clock"},
    {"final", "1: cut short by exit, exec or stop"},
    {"harvested", "1: complete, and written after the process's death"},
    {"partial", "1: cut short by the process's death"},
    {"off", "1: between two windows: marks were off, so most is missing"},
    {"overruns", "scheduled ends that passed unserved in this period"},
    {"accessed", "granules with a certain access of this period"},
    {"read", "of these; empty if the layout cannot know"},
    {"written", "of these; empty if the layout cannot know"},
    {"carried", "granules that are only carried over from an earlier period"},
    {"may", "granules of which every access is only possible"},
    {"stable", "granules with a checksum; this column and those that follow "
               "are of the whole period, whatever is selected"},
    {"unstable", "granules that were written while they were hashed"},
    {"gone", "granules that were unmapped before they could be hashed"},
    {"unreadable", "granules that could not be read"},
    {"left_out", "granules that should be in combined and are not"},
    {"combined", "sum of the period's checksums; empty if there are none"},
    {"is_whole", "0: parts of the period are lost, and the counts are of the "
                 "others"},
    {"cut_ns", "CLOCK_MONOTONIC: the instant of the checksums; empty if the "
               "period did not end in a cut"},
    {"cut_pause_ns", "from the first thread stopped to the last one released"},
    {"cut_marked", "granules read while threads stood: just written"},
    {"cut_unsettled", "granules read while threads stood: a thread was perhaps "
                      "about to write"},
    {"no_cut", "why a period that was to end in a cut did not", true, true},
}};

class PeriodsSource : public TableSource {
public:
  using TableSource::TableSource;

  void begin() override {
    open_ = false;
    next_cut_ = {};
  }

  void see(const Frame &frame) override {
    if (frame.type == trace::FrameType::kCut)
      next_cut_ = frame.cut;
  }

  void add(const PeriodPart &part) override {
    if (part.first || part.index != index_) {
      write_open();
      index_ = part.index;
      counts_ = AccessCounts();
      states_.fill(0);
      // A harvested period has no checksums, so its cut is lost.
      const bool is_known =
          next_cut_.index == index_ && !(part.flags & trace::kPeriodHarvested);
      cut_ = is_known ? next_cut_ : Cut();
    }
    counts_.add(union_of_sections(part, scratch_));
    for (const ChecksumRun &run : part.checksum_runs)
      if (run.state < states_.size())
        states_[run.state] += run.count;
    // The last part says more than those before it.
    start_ns_ = part.start_ns;
    end_ns_ = part.end_ns;
    flags_ = part.flags;
    overruns_ = part.overruns;
    stable_ = part.stable;
    left_out_ = part.left_out;
    combined_ = part.combined;
    open_ = true;
    if (part.last)
      write(true);
  }

  void end_trace() override { write_open(); }

private:
  void write_open() {
    if (open_)
      write(false);
  }

  void write(bool is_whole) {
    const abi::Layout layout = trace_->geometry().layout;
    const auto state = [&](ChecksumState of) {
      return Cell::of(states_[static_cast<std::size_t>(of)]);
    };
    const auto of_cut = [&](std::uint64_t number) {
      return cut_.time_ns != 0 ? Cell::of(number) : Cell();
    };
    // With marks off nobody knows how many there were.
    const bool is_off = flags_ & trace::kPeriodOff;
    const std::array<Cell, kPeriodsColumns.size()> cells = {
        Cell::of(number_),
        Cell::of(std::uint64_t{trace_->header().pid}),
        Cell::of(index_),
        Cell::of(start_ns_),
        Cell::of(end_ns_),
        Cell::of(trace_->since_start(start_ns_)),
        flag_cell(flags_ & trace::kPeriodDriven),
        flag_cell(flags_ & trace::kPeriodFinal),
        flag_cell(flags_ & trace::kPeriodHarvested),
        flag_cell(flags_ & trace::kPeriodPartial),
        flag_cell(flags_ & trace::kPeriodOff),
        Cell::of(overruns_),
        is_off ? Cell() : Cell::of(counts_.accessed),
        is_off ? Cell() : read_cell(counts_, layout),
        is_off ? Cell() : written_cell(counts_, layout),
        is_off ? Cell() : Cell::of(counts_.carried),
        is_off ? Cell() : Cell::of(counts_.may),
        state(ChecksumState::kStable),
        state(ChecksumState::kUnstable),
        state(ChecksumState::kGone),
        state(ChecksumState::kUnreadable),
        is_whole ? Cell::of(left_out_) : Cell(),
        is_whole && stable_ != 0 ? Cell::hash(combined_) : Cell(),
        flag_cell(is_whole),
        of_cut(cut_.time_ns),
        of_cut(cut_.pause_ns),
        of_cut(cut_.marked),
        of_cut(cut_.unsettled),
        cut_.reason.empty() ? Cell() : Cell::of(std::string_view(cut_.reason)),
    };
    sink_.row(cells.data());
    open_ = false;
  }

  bool open_ = false; ///< parts of a period were added, and not yet written
  std::uint64_t index_ = 0;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  unsigned flags_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t stable_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t combined_ = 0;
  Cut cut_;      ///< of the open period, if it was to end in one
  Cut next_cut_; ///< of the period whose parts come next
  AccessCounts counts_;
  std::array<std::uint64_t, 5> states_ = {};
  std::vector<GranuleRun> scratch_;
};

} // namespace

extern const Table kPeriodsTable = {
    "periods",
    "one row per period, with counts of granules",
    kPeriodsColumns,
    make_source<PeriodsSource>,
};

} // namespace pagetide::tools
