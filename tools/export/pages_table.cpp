//===- pages_table.cpp - Rows of periods, threads and granules ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "export/period_site_runs.h"
#include "trace/runs.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace pagetide::tools {

using trace::ChecksumState;

namespace {

/// The numbers of the columns.
enum PagesColumn : std::size_t {
  kPagesPeriod,
  kPagesStart,
  kPagesEnd,
  kPagesPid,
  kPagesTid,
  kPagesAddress,
  kPagesRead,
  kPagesWritten,
  kPagesChecksum,
  kPagesState,
  kPagesMay,
  kPagesTrace,
  kPagesTime,
  kPagesThread,
  kPagesMapping,
  kPagesFileOffset,
  kPagesReadSite,
  kPagesWriteSite,
  kPagesColumnCount,
};

/// The standard ones are an interface, and so is their order.
constexpr std::array<Column, kPagesColumnCount> kPagesColumns = {{
    {"period", "number of the period, from 0"},
    {"start_ns", "of the period, CLOCK_MONOTONIC"},
    {"end_ns", "of the period, CLOCK_MONOTONIC"},
    {"pid", "of the process"},
    {"tid", "of the thread; 0 in a trace per process, and for threads that "
            "have no set of their own"},
    {"address", "of the granule's first byte"},
    {"read", "1 or 0. 1 is certain unless may names it. Empty if the layout "
             "cannot know: under access and write"},
    {"written", "1 or 0. 1 is certain unless may names it. Empty if the layout "
                "cannot know: under access"},
    {"checksum", "XXH3-64 of the granule; empty unless state begins with "
                 "stable"},
    {"state", "none, stable, unstable, gone or unreadable, then what follows",
     true, true},
    {"may",
     "which accesses of the row are only possible: read, written, "
     "read+written, or accessed under layout access; empty if all are "
     "certain",
     true, true},
    {"trace", "number of the trace in this export, from 1", false},
    {"time_ns", "when the period began, from the run's start on", false},
    {"thread", "name of the thread; empty if it is not known", false, true},
    {"mapping", "name of the mapping that the granule lies in", false, true},
    {"file_offset",
     "of the granule's first byte in the file that is mapped "
     "there; empty if it is no file",
     false},
    {"read_site",
     "number of a place in the source that read it, as in the table of sites; "
     "under layout access, that accessed it; empty if none is known",
     false},
    {"write_site", "the same of a place that wrote it", false},
}};

/// Whether a row with these flags was read, or written, as far as the layout
/// can tell.
Cell was_read(abi::Layout layout, unsigned flags) {
  if (!abi::tells_writes(layout) || !abi::records_reads(layout))
    return {};
  return flag_cell(flags & (trace::kRunRead | trace::kRunMayRead));
}

Cell was_written(abi::Layout layout, unsigned flags) {
  if (!abi::tells_writes(layout))
    return {};
  return flag_cell(flags & (trace::kRunWritten | trace::kRunMayWritten |
                            trace::kRunCarried));
}

/// What follows a state.
struct StateSuffix {
  unsigned flags; ///< any of them
  const char *text;
};
constexpr StateSuffix kStateSuffixes[] = {
    {trace::kRunUnmarked, "+unmarked"},
    {trace::kRunCarried, "+carried"},
    {kMayFlags, "+may"},
};
constexpr std::size_t kSuffixSets = std::size_t{1} << std::size(kStateSuffixes);
constexpr const char *kStates[] = {"none", "stable", "unstable", "gone",
                                   "unreadable"};

/// The state of a checksum, and whether the row has an access that nobody has
/// marked, was carried over or is only possible.
std::string_view state_text(ChecksumState state, unsigned flags) {
  static const auto kTexts = [] {
    std::array<std::array<std::string, kSuffixSets>, std::size(kStates)> texts;
    for (std::size_t row = 0; row < texts.size(); ++row)
      for (std::size_t set = 0; set < kSuffixSets; ++set) {
        texts[row][set] = kStates[row];
        for (std::size_t i = 0; i < std::size(kStateSuffixes); ++i)
          if (set >> i & 1)
            texts[row][set] += kStateSuffixes[i].text;
      }
    return texts;
  }();
  std::size_t set = 0;
  for (std::size_t i = 0; i < std::size(kStateSuffixes); ++i)
    if (flags & kStateSuffixes[i].flags)
      set |= std::size_t{1} << i;
  const auto row = static_cast<std::size_t>(state);
  return kTexts[row < kTexts.size() ? row : 0][set];
}

/// Which accesses of the row are only possible. No text if none are.
Cell possible_cell(abi::Layout layout, unsigned flags) {
  const unsigned possible = possible_flags(flags);
  if (possible == 0)
    return {};
  if (!abi::tells_writes(layout))
    return Cell::of("accessed");
  if (!(possible & trace::kRunWritten))
    return Cell::of("read");
  return Cell::of(possible & trace::kRunRead ? "read+written" : "written");
}

class PagesSource : public TableSource {
public:
  PagesSource(std::span<const std::size_t> chosen, RowSink &sink)
      : TableSource(sink) {
    const auto wants = [&](PagesColumn column) {
      return std::ranges::find(chosen, std::size_t{column}) != chosen.end();
    };
    wants_thread_ = wants(kPagesThread);
    wants_sites_ = wants(kPagesReadSite) || wants(kPagesWriteSite);
    wants_mapping_ = wants(kPagesMapping) || wants(kPagesFileOffset);
  }

  void begin() override {
    layout_ = trace_->geometry().layout;
    granule_shift_ = trace_->geometry().granule_shift;
    names_.clear();
    if (wants_mapping_)
      trace_->divide_by_mapping();
    sites_.begin_trace(trace_->header().flags & trace::kHeaderPerThread);
    cells_.fill(Cell());
    cells_[kPagesTrace] = Cell::of(number_);
    cells_[kPagesPid] = Cell::of(std::uint64_t{trace_->header().pid});
  }

  void see(const Frame &frame) override {
    if (wants_sites_)
      sites_.see(frame);
  }

  void add(const PeriodPart &part) override {
    cells_[kPagesPeriod] = Cell::of(part.index);
    cells_[kPagesStart] = Cell::of(part.start_ns);
    cells_[kPagesEnd] = Cell::of(part.end_ns);
    cells_[kPagesTime] = Cell::of(trace_->since_start(part.start_ns));
    for (const PeriodPart::Section &section : part.sections) {
      cells_[kPagesTid] = Cell::of(std::uint64_t{section.tid});
      if (wants_thread_)
        name_thread(section.tid);
      if (wants_sites_)
        sites_.begin_section(part.index, section.tid);
      ChecksumLookup checksums(part);
      for (std::size_t i = 0; i < section.run_count; ++i)
        add_run(part, section.first_run + i, checksums);
    }
  }

  void end_trace() override {}

private:
  void name_thread(std::uint32_t tid) {
    const auto found = trace_->threads().find(tid);
    thread_name_ =
        found == trace_->threads().end() ? "" : valid_text(found->second);
    cells_[kPagesThread] =
        thread_name_.empty() ? Cell() : Cell::of(thread_name_);
  }

  /// Names the mapping of the run. Returns its place.
  const MappingNames::Place &name_mapping(std::size_t run) {
    const MappingNames::Place &place = trace_->place(run);
    while (names_.size() <= place.name)
      names_.push_back(valid_text(trace_->mapping(names_.size())));
    cells_[kPagesMapping] = {Cell::Kind::kName, place.name, names_[place.name]};
    return place;
  }

  void name_sites(std::uint64_t granule, std::uint64_t &until) {
    const PeriodSiteRuns::Sites sites = sites_.at(granule, until);
    const auto cell = [](std::uint32_t site) {
      const std::uint64_t id = site & ~trace::kSiteMay;
      return id == 0 ? Cell() : Cell::of(id);
    };
    cells_[kPagesReadSite] = cell(sites.read);
    cells_[kPagesWriteSite] = cell(sites.write);
  }

  void add_run(const PeriodPart &part, std::size_t number,
               ChecksumLookup &checksums) {
    const GranuleRun &run = part.runs[number];
    cells_[kPagesRead] = was_read(layout_, run.flags);
    cells_[kPagesWritten] = was_written(layout_, run.flags);
    cells_[kPagesMay] = possible_cell(layout_, run.flags);
    MappingNames::Place place;
    if (wants_mapping_)
      place = name_mapping(number);
    cells_[kPagesFileOffset] = Cell();
    for (std::uint64_t granule = run.first; granule < run.end();) {
      std::uint64_t until = run.end();
      const std::uint64_t *hash;
      const ChecksumState state = checksums.at(granule, until, hash);
      cells_[kPagesState] = Cell::of(state_text(state, run.flags));
      cells_[kPagesChecksum] = Cell();
      if (wants_sites_)
        name_sites(granule, until);
      for (; granule < until; ++granule) {
        const std::uint64_t address = granule << granule_shift_;
        cells_[kPagesAddress] = Cell::address(address);
        if (place.is_file)
          cells_[kPagesFileOffset] = Cell::of(address + place.file_shift);
        if (hash)
          cells_[kPagesChecksum] = Cell::hash(*hash++);
        sink_.row(cells_.data());
      }
    }
  }

  abi::Layout layout_ = abi::Layout::kRw;
  unsigned granule_shift_ = 0;
  bool wants_thread_ = false;
  bool wants_mapping_ = false;
  bool wants_sites_ = false;
  PeriodSiteRuns sites_;
  std::vector<std::string> names_; ///< of mappings, by their numbers
  std::string thread_name_;
  std::array<Cell, kPagesColumnCount> cells_;
};

} // namespace

extern const Table kPagesTable = {
    "pages",
    "one row per period, thread and granule",
    kPagesColumns,
    [](std::span<const std::size_t> chosen,
       RowSink &sink) -> std::unique_ptr<TableSource> {
      return std::make_unique<PagesSource>(chosen, sink);
    },
};

} // namespace pagetide::tools
