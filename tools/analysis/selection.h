//===- selection.h - The part of a trace that a report is about -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/mapping_names.h"
#include "support/text_format.h"
#include "trace/site_table.h"
#include "trace/trace_reader.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Why a trace cannot tell threads apart, and what to do.
inline constexpr const char kOneSet[] =
    "was recorded as one set for all threads; record it with: pagetide record "
    "--per-thread -- CMD";

/// What the user asks for. The default is all.
struct Selection {
  std::uint64_t from_ns = 0; ///< since the run's start
  std::uint64_t to_ns = UINT64_MAX;
  NumberRange periods; ///< their numbers
  NumberRange addresses;
  std::string mapping; ///< empty: all
  std::optional<std::uint64_t> tid;
  bool reads = false; ///< neither of the two is the same as both
  bool writes = false;

  bool only_reads() const { return reads && !writes; }
  bool only_writes() const { return writes && !reads; }
  /// Whether granules of a mapping with this name are asked for.
  bool has_mapping(const std::string &name) const;
  /// "from 1 s to 2 s, mapping [heap], writes". Empty if it is all.
  std::string words() const;
};

/// Reads a trace as if it had only what is selected.
class SelectedTrace {
public:
  /// `run_start_ns` is when the first process of the run began. Throws Failure
  /// if the trace cannot tell what is selected. If a mapping is, next() needs
  /// look_ahead().
  SelectedTrace(TraceReader reader, const Selection &selection,
                std::uint64_t run_start_ns);
  SelectedTrace(const SelectedTrace &) = delete;

  /// Gives `take` all certain accesses that are selected, by mapping, and those
  /// of all threads as one. Several may ask for them. Call it before next().
  void name_mappings(MappingNames::Take take);
  /// The same with all that is known of the mapping.
  void place_mappings(MappingNames::TakePlace take);
  const std::string &mapping(std::size_t number) const {
    return names_.name(number);
  }

  /// The device and the inode of shared memory.
  const MappingNames::Object &object(const MappingNames::Place &place) const {
    return names_.object(place);
  }

  /// No access waits for a list of mappings that comes later. `open` opens the
  /// trace once more, to find that list. Call it before next().
  void look_ahead(std::function<TraceReader()> open);

  //===- What exports ask for; before next() ------------------------------===//

  /// Selected accesses keep what else is known of them: a page that was
  /// selected because it was written may also have been read.
  void keep_all_flags() { keeps_flags_ = true; }
  /// Periods between windows, with marks off, come too. To a report they are
  /// gaps: nobody knows what the program did.
  void keep_off_periods() { keeps_off_ = true; }
  /// Gives `see` all frames but Period frames as they come, and Period frames
  /// before which lists of mappings are lost.
  void watch_frames(std::function<void(const Frame &)> see) {
    see_ = std::move(see);
  }
  /// Each run of what next() returns then lies in one mapping. Needs
  /// look_ahead().
  void divide_by_mapping() { divides_ = true; }
  /// The mapping of run number `run` of the part.
  const MappingNames::Place &place(std::size_t run) const {
    return places_[run];
  }

  /// Gives `take` the rows of sites that are selected, a thread's at a time,
  /// before next() returns their period. Several may ask for them. Call it
  /// before next().
  using TakeSites =
      std::function<void(std::uint32_t tid, std::span<const SiteRun> rows,
                         const PeriodTime &period)>;
  void take_sites(TakeSites take) { take_sites_.push_back(std::move(take)); }
  /// What the sites are. Complete when next() has returned null.
  const SiteTable &sites() const { return sites_; }

  /// The next part of a period in the selected time. Null at the end. A period
  /// without selected granules comes too.
  const PeriodPart *next();

  const std::string &path() const { return reader_.name(); }
  /// Bytes of the file up to the frame that was read last.
  std::uint64_t position() const { return frame_.offset + frame_.bytes; }
  const trace::FileHeader &header() const { return reader_.header(); }
  Geometry geometry() const { return reader_.geometry(); }
  /// A time of this trace, from the run's start on.
  std::uint64_t since_start(std::uint64_t time_ns) const {
    return std::max(time_ns, run_start_ns_) - run_start_ns_;
  }
  const Selection &selection() const { return selection_; }
  /// What is known after next() has returned null.
  const Completeness &completeness() const { return reader_.completeness(); }
  const std::optional<Process> &process() const { return process_; }
  /// The last names of threads.
  const std::map<std::uint32_t, std::string> &threads() const {
    return threads_;
  }
  /// How often frames of threads were lost so far.
  std::uint64_t thread_losses() const { return thread_losses_; }
  std::uint64_t periods() const { return periods_; }
  /// Time in selected periods that were left out, with marks off.
  std::uint64_t off_ns() const { return off_ns_; }
  /// Why nothing could be selected: the process has no such mapping, thread or
  /// time. Empty if it has. Complete when next() has returned null.
  std::string why_nothing() const;

private:
  template <typename Part> bool is_selected(const Part &part) const;
  void select_sites(const PeriodSites &part);
  void append_row(SiteRun run, std::uint64_t first, std::uint64_t end);
  void select(PeriodPart &part);
  void append_selected(const GranuleRun &run);
  void take_piece(const MappingNames::Place &place, const GranuleRun &piece,
                  const PeriodTime &period);
  void divide_selected(const PeriodTime &time);
  void note_names(const Mappings &mappings);

  struct Piece {
    GranuleRun run;
    MappingNames::Place place;
  };

  TraceReader reader_;
  Selection selection_;
  std::uint64_t run_start_ns_;
  std::uint64_t first_granule_;
  std::uint64_t last_granule_;
  unsigned flags_; ///< of the accesses that are selected
  MappingNames names_;
  std::vector<MappingNames::TakePlace> takes_;
  /// The same for rows of sites, which come before their period.
  MappingNames site_mappings_;
  std::vector<GranuleRun> site_pieces_; ///< of the selected mapping
  std::vector<SiteRun> rows_;           ///< of a thread, selected
  std::vector<TakeSites> take_sites_;
  SiteTable sites_;
  Frame frame_;
  std::optional<Process> process_;
  std::map<std::uint32_t, std::string> threads_;
  std::uint64_t thread_losses_ = 0;
  std::uint64_t periods_ = 0;
  std::uint64_t off_ns_ = 0;
  std::uint64_t all_periods_ = 0; ///< selected or not
  std::uint64_t last_end_ns_ = 0;
  bool selected_any_ = false;
  bool has_mapping_ = false;         ///< that is selected
  std::set<std::string> seen_names_; ///< of mappings, without directories
  bool finished_ = false;
  std::vector<GranuleRun> selected_;
  std::vector<GranuleRun> union_scratch_;
  /// Takes the pieces of a section while it is divided.
  std::vector<Piece> pieces_;
  bool is_dividing_ = false;
  bool divides_ = false;
  bool keeps_flags_ = false;
  bool keeps_off_ = false;
  std::function<void(const Frame &)> see_;
  std::vector<MappingNames::Place> places_; ///< of the part's runs
};

/// Whether any trace of a run has what was asked for.
class SelectionMatch {
public:
  void add(const SelectedTrace &trace);
  /// Throws Failure if none has.
  void require() const;

private:
  bool any_ = false;
  std::string why_;
};

/// What is selected of a trace in a file. If a mapping is asked for, accesses
/// whose mapping the trace lists only later are found too. A user on a terminal
/// is told how much was read.
std::unique_ptr<SelectedTrace> open_selected(const std::string &file,
                                             const Selection &selection,
                                             std::uint64_t run_start_ns);

} // namespace pagetide::tools
