//===- selection.cpp - The part of a trace that a report is about ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/selection.h"

#include "analysis/report_limits.h"
#include "support/edit_distance.h"
#include "support/failure.h"
#include "trace/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pagetide::tools {

namespace {

/// Reads a trace ahead of another reader of it, to the next list of mappings.
/// Of all queries together it reads the trace at most once.
class MappingsAhead {
public:
  /// `open` opens the trace from its start. It is called when a list is asked
  /// for.
  explicit MappingsAhead(std::function<TraceReader()> open)
      : open_(std::move(open)) {}

  /// The first list behind this offset of the file. Null if there is none, or
  /// if lists before it are lost. Offsets must not fall.
  const Mappings *list_after(std::uint64_t offset);

private:
  std::function<TraceReader()> open_;
  std::optional<TraceReader> reader_;
  Frame frame_;
  bool has_frame_ = false; ///< a list, or where lists are lost
  bool ended_ = false;
};

const Mappings *MappingsAhead::list_after(std::uint64_t offset) {
  if (!reader_)
    reader_.emplace(open_());
  while (!ended_ && (!has_frame_ || frame_.offset <= offset)) {
    ended_ = !reader_->next(frame_);
    has_frame_ =
        !ended_ &&
        (frame_.type == trace::FrameType::kMappings ||
         (frame_.type == trace::FrameType::kPeriod && frame_.lost_mappings));
  }
  const bool is_list = !ended_ && frame_.type == trace::FrameType::kMappings &&
                       !frame_.lost_mappings;
  return is_list ? &frame_.mappings : nullptr;
}

/// Names of mappings that are kept to say what there is.
constexpr std::size_t kMaxSeenNames = 1000;
constexpr std::size_t kShownNames = 6;

/// The flags of accesses that are selected.
unsigned selected_flags(const Selection &selection) {
  if (selection.only_reads())
    return trace::kRunRead | trace::kRunMayRead;
  if (selection.only_writes())
    return trace::kRunWritten | trace::kRunMayWritten | trace::kRunCarried;
  return ~0u;
}

/// Why the trace cannot tell what is selected. Empty if it can.
std::string why_not(const trace::FileHeader &header,
                    const Selection &selection) {
  const abi::Layout layout = geometry_of(header).layout;
  if (selection.tid && !(header.flags & trace::kHeaderPerThread))
    return fmt::format("--thread: {}", kOneSet);
  if ((selection.only_reads() || selection.only_writes()) &&
      !abi::tells_writes(layout))
    return "--reads and --writes: layout `access` does not tell reads from "
           "writes; build the program with -fpagetide-layout=rw";
  if (selection.only_reads() && !abi::records_reads(layout))
    return "--reads: layout `write` has no reads; build the program with "
           "-fpagetide-layout=rw";
  return {};
}

/// Whether all of the part's granules are in the range, and append_run() would
/// not join or drop any of its runs.
bool is_whole(const PeriodPart &part, std::uint64_t first, std::uint64_t last) {
  return std::ranges::all_of(
      part.sections, [&](const PeriodPart::Section &section) {
        const std::span<const GranuleRun> runs = part.runs_of(section);
        return !runs.empty() && runs.front().first >= first &&
               runs.back().end() - 1 <= last &&
               std::ranges::none_of(
                   runs,
                   [](const GranuleRun &run) { return run.flags == 0; }) &&
               std::ranges::adjacent_find(
                   runs, [](const GranuleRun &a, const GranuleRun &b) {
                     return a.end() == b.first && a.flags == b.flags;
                   }) == runs.end();
      });
}

} // namespace

bool Selection::has_mapping(const std::string &name) const {
  return mapping.empty() || name == mapping || name.ends_with('/' + mapping);
}

std::string Selection::words() const {
  std::string text;
  const auto add = [&](const std::string &words) {
    text += (text.empty() ? "" : ", ") + words;
  };
  if (from_ns != 0 && to_ns != UINT64_MAX)
    add(fmt::format("from {} to {}", format_duration(from_ns),
                    format_duration(to_ns)));
  else if (from_ns != 0)
    add(fmt::format("from {} on", format_duration(from_ns)));
  else if (to_ns != UINT64_MAX)
    add(fmt::format("up to {}", format_duration(to_ns)));
  if (periods.first != 0 || periods.last != UINT64_MAX)
    add(periods.last == UINT64_MAX
            ? fmt::format("periods from {} on", periods.first)
            : fmt::format("periods {} to {}", periods.first, periods.last));
  if (addresses.first != 0 || addresses.last != UINT64_MAX)
    add(fmt::format("addresses {:#x} to {:#x}", addresses.first,
                    addresses.last));
  if (!mapping.empty())
    add(fmt::format("mapping {}", printable(mapping)));
  if (tid)
    add(fmt::format("thread {}", *tid));
  if (only_reads())
    add("reads");
  if (only_writes())
    add("writes");
  return text;
}

SelectedTrace::SelectedTrace(TraceReader reader, const Selection &selection,
                             std::uint64_t run_start_ns)
    : reader_(std::move(reader)), selection_(selection),
      run_start_ns_(run_start_ns),
      first_granule_(selection.addresses.first >> header().granule_shift),
      last_granule_(selection.addresses.last >> header().granule_shift),
      flags_(selected_flags(selection)),
      names_(header().granule_shift,
             [this](const MappingNames::Place &place, const GranuleRun &piece,
                    const PeriodTime &period) {
               take_piece(place, piece, period);
             }),
      site_mappings_(
          header().granule_shift,
          [this](const MappingNames::Place &place, const GranuleRun &piece,
                 const PeriodTime &) {
            if (selection_.has_mapping(site_mappings_.name(place.name)))
              site_pieces_.push_back(piece);
          }) {
  if (const std::string why = why_not(header(), selection); !why.empty())
    throw Failure("{}: {}", printable(path()), why);
}

void SelectedTrace::name_mappings(MappingNames::Take take) {
  place_mappings([take = std::move(take)](const MappingNames::Place &place,
                                          const GranuleRun &piece,
                                          const PeriodTime &period) {
    take(place.name, piece, period);
  });
}

void SelectedTrace::place_mappings(MappingNames::TakePlace take) {
  takes_.push_back(std::move(take));
}

void SelectedTrace::look_ahead(std::function<TraceReader()> open) {
  // Each asks at its own offsets, and these must not fall.
  for (MappingNames *names : {&names_, &site_mappings_}) {
    const auto ahead = std::make_shared<MappingsAhead>(open);
    names->look_ahead(
        [this, ahead] { return ahead->list_after(frame_.offset); });
  }
}

void SelectedTrace::take_piece(const MappingNames::Place &place,
                               const GranuleRun &piece,
                               const PeriodTime &period) {
  if (!selection_.has_mapping(names_.name(place.name)))
    return;
  if (is_dividing_) {
    pieces_.push_back({piece, place});
    return;
  }
  for (const MappingNames::TakePlace &take : takes_)
    take(place, piece, period);
}

template <typename Part>
bool SelectedTrace::is_selected(const Part &part) const {
  return part.index >= selection_.periods.first &&
         part.index <= selection_.periods.last &&
         (selection_.from_ns == 0 ||
          since_start(part.end_ns) > selection_.from_ns) &&
         since_start(part.start_ns) < selection_.to_ns;
}

/// Appends the granules of the run that are in the range of addresses, with the
/// selected flags.
void SelectedTrace::append_selected(const GranuleRun &run) {
  unsigned flags = run.flags & flags_;
  if (flags != 0 && keeps_flags_)
    flags = run.flags;
  const std::uint64_t first =
      std::max<std::uint64_t>(run.first, first_granule_);
  const std::uint64_t last = std::min(run.end() - 1, last_granule_);
  if (flags != 0 && first <= last)
    append_run(selected_, first, last - first + 1, flags);
}

void SelectedTrace::note_names(const Mappings &mappings) {
  if (selection_.mapping.empty() || has_mapping_)
    return;
  for (const Mapping &mapping : mappings.mappings) {
    const std::string name = name_of(mapping);
    has_mapping_ |= selection_.has_mapping(name);
    if (seen_names_.size() < kMaxSeenNames)
      seen_names_.insert(name.substr(name.rfind('/') + 1));
  }
}

std::string SelectedTrace::why_nothing() const {
  if (selected_any_ || all_periods_ == 0)
    return {};
  if (periods_ == 0 && since_start(last_end_ns_) <= selection_.from_ns)
    return fmt::format("--from {}: is past the end; the last period ended {} "
                       "after the run's start",
                       format_duration(selection_.from_ns),
                       format_duration(since_start(last_end_ns_)));
  if (periods_ == 0 && selection_.periods.first >= all_periods_)
    return fmt::format("--periods: the last period is number {}, and {} was "
                       "asked for",
                       all_periods_ - 1, selection_.periods.first);
  if (selection_.tid && !threads_.contains(std::uint32_t(*selection_.tid)))
    return fmt::format("--thread {}: no thread of the process has this number",
                       *selection_.tid);
  if (selection_.mapping.empty() || has_mapping_ || seen_names_.empty())
    return {};
  const std::vector<std::string_view> names(seen_names_.begin(),
                                            seen_names_.end());
  const std::string_view meant = closest_word(selection_.mapping, names);
  const auto shown = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(names.size(), kShownNames));
  return fmt::format(
      "--mapping {}: no mapping has this name; {}",
      printable(selection_.mapping),
      meant.empty()
          ? fmt::format("there {} {}{}", names.size() == 1 ? "is" : "are",
                        printable(fmt::format(
                            "{}", fmt::join(names.begin(),
                                            names.begin() + shown, ", "))),
                        names.size() > kShownNames ? " and others" : "")
          : fmt::format("did you mean {}?", printable(std::string(meant))));
}

/// Divides the selected runs of a section by mapping.
void SelectedTrace::divide_selected(const PeriodTime &time) {
  pieces_.clear();
  is_dividing_ = true;
  names_.divide(selected_, time);
  is_dividing_ = false;
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece &a, const Piece &b) {
    return a.run.first < b.run.first;
  });
  selected_.clear();
  for (const Piece &piece : pieces_) {
    selected_.push_back(piece.run);
    if (divides_)
      places_.push_back(piece.place);
  }
}

/// Drops from the part what is not selected.
void SelectedTrace::select(PeriodPart &part) {
  const PeriodTime time = {part.index, part.start_ns, part.end_ns};
  places_.clear();
  const bool by_pieces = divides_ || !selection_.mapping.empty();
  // Mostly nothing is selected, and copying every run would be in vain.
  const bool keeps_all = flags_ == ~0u && !selection_.tid && !by_pieces &&
                         is_whole(part, first_granule_, last_granule_);
  PeriodPart whole;
  if (!keeps_all) {
    std::swap(whole.sections, part.sections);
    std::swap(whole.runs, part.runs);
  }
  for (const PeriodPart::Section &section : whole.sections) {
    if (selection_.tid && *selection_.tid != section.tid)
      continue;
    selected_.clear();
    for (const GranuleRun &run : whole.runs_of(section))
      append_selected(run);
    if (by_pieces)
      divide_selected(time);
    if (!selected_.empty())
      part.add_section(section.tid, selected_);
  }
  selected_any_ |= !part.sections.empty();
  part.is_final = true;
  if (!takes_.empty()) {
    selected_.clear();
    append_certain(selected_, union_of_sections(part, union_scratch_));
    names_.divide(selected_, time);
  }
  if (part.last)
    names_.end_period();
}

/// Selects what [first, end) has of a row, in the range of addresses.
void SelectedTrace::append_row(SiteRun run, std::uint64_t first,
                               std::uint64_t end) {
  first = std::max({run.first, first, first_granule_});
  end = std::min({run.end(), end, last_granule_ + 1});
  if (first >= end)
    return;
  run.first = first;
  run.count = end - first;
  rows_.push_back(run);
}

void SelectedTrace::select_sites(const PeriodSites &part) {
  const PeriodTime time = {part.index, part.start_ns, part.end_ns};
  for (const PeriodSites::Section &section : part.sections) {
    if (selection_.tid && *selection_.tid != section.tid)
      continue;
    rows_.clear();
    for (SiteRun run : part.runs_of(section)) {
      if (selection_.only_reads())
        run.write = 0;
      if (selection_.only_writes())
        run.read = 0;
      if (run.read == 0 && run.write == 0)
        continue;
      if (selection_.mapping.empty()) {
        append_row(run, 0, UINT64_MAX);
        continue;
      }
      site_pieces_.clear();
      const GranuleRun whole = {run.first, run.count, trace::kRunAccessed};
      site_mappings_.divide(std::span(&whole, 1), time);
      for (const GranuleRun &piece : site_pieces_)
        append_row(run, piece.first, piece.end());
    }
    if (rows_.empty())
      continue;
    for (const TakeSites &take : take_sites_)
      take(section.tid, rows_, time);
  }
}

const PeriodPart *SelectedTrace::next() {
  while (reader_.next(frame_)) {
    if (frame_.type == trace::FrameType::kProcess)
      process_ = frame_.process;
    if (frame_.type == trace::FrameType::kThreads)
      for (const ThreadRecord &record : frame_.threads.records)
        if (!record.name.empty() &&
            (threads_.size() < kMaxThreads || threads_.contains(record.tid)))
          threads_[record.tid] = first_bytes(record.name, kMaxThreadName);
    if (frame_.lost_mappings && (frame_.type == trace::FrameType::kMappings ||
                                 frame_.type == trace::FrameType::kPeriod)) {
      names_.forget_mappings();
      site_mappings_.forget_mappings();
    }
    if (frame_.type == trace::FrameType::kMappings) {
      note_names(frame_.mappings);
      names_.set_mappings(frame_.mappings);
      if (!take_sites_.empty())
        site_mappings_.set_mappings(frame_.mappings);
    }
    if (frame_.type == trace::FrameType::kSiteTable && !take_sites_.empty())
      sites_.add(frame_.site_table);
    if (frame_.type == trace::FrameType::kPeriodSites && !take_sites_.empty() &&
        is_selected(frame_.period_sites))
      select_sites(frame_.period_sites);
    const bool is_period = frame_.type == trace::FrameType::kPeriod;
    if (see_ && (!is_period || frame_.lost_mappings))
      see_(frame_);
    if (!is_period)
      continue;
    if (frame_.period.last)
      site_mappings_.end_period();
    thread_losses_ += frame_.lost_threads;
    all_periods_ = frame_.period.index + 1;
    last_end_ns_ = frame_.period.end_ns;
    const bool is_gap = !keeps_off_ && frame_.period.flags & trace::kPeriodOff;
    if (!is_selected(frame_.period) || is_gap) {
      if (frame_.period.last)
        names_.end_period();
      if (frame_.period.last && is_gap && is_selected(frame_.period))
        off_ns_ += frame_.period.end_ns - frame_.period.start_ns;
      continue;
    }
    periods_ += frame_.period.last;
    select(frame_.period);
    return &frame_.period;
  }
  if (!finished_)
    names_.finish();
  finished_ = true;
  return nullptr;
}

void SelectionMatch::add(const SelectedTrace &trace) {
  const std::string why = trace.why_nothing();
  any_ |= why.empty();
  if (why_.empty() && !why.empty())
    why_ = fmt::format("{}: {}", printable(trace.path()), why);
}

void SelectionMatch::require() const {
  if (!any_ && !why_.empty())
    throw Failure(why_);
}

std::unique_ptr<SelectedTrace> open_selected(const std::string &file,
                                             const Selection &selection,
                                             std::uint64_t run_start_ns) {
  auto trace = std::make_unique<SelectedTrace>(
      TraceReader::open_with_progress(file), selection, run_start_ns);
  // Otherwise reports take what waited for a list when the list comes.
  if (!selection.mapping.empty())
    trace->look_ahead([file] { return TraceReader::open(file); });
  return trace;
}

} // namespace pagetide::tools
