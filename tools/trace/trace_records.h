//===- trace_records.h - What the frames of a trace say, decoded ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/abi.h"
#include "pagetide/trace_format.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// What marks mean, and how many bytes cells and granules have.
struct Geometry {
  abi::Layout layout = abi::Layout::kRw;
  unsigned cell_shift = abi::kDefaultGranuleShift;
  unsigned granule_shift = abi::kDefaultGranuleShift;

  /// One past the last granule of the address space.
  std::uint64_t granule_limit() const {
    return std::uint64_t{1} << (abi::kAddressBits - granule_shift);
  }
};

/// The geometry of a file header that a reader has accepted.
inline Geometry geometry_of(const trace::FileHeader &header) {
  return {static_cast<abi::Layout>(header.layout), header.cell_shift,
          header.granule_shift};
}

/// Neighbouring granules about which the same is known. One frame can have tens
/// of millions of runs, so a run is packed into 16 bytes.
struct GranuleRun {
  std::uint64_t first;      ///< a granule's number: address >> granule_shift
  std::uint64_t count : 56; ///< never 0
  std::uint64_t flags : 8;  ///< trace::RunFlags

  std::uint64_t end() const { return first + count; }
  friend bool operator==(const GranuleRun &a, const GranuleRun &b) = default;
};
static_assert(sizeof(GranuleRun) == 16);

struct ChecksumRun {
  std::uint64_t first;
  std::uint64_t count : 56;
  std::uint64_t state : 8; ///< trace::ChecksumState

  std::uint64_t end() const { return first + count; }
  bool stable() const {
    return state == static_cast<unsigned>(trace::ChecksumState::kStable);
  }
  friend bool operator==(const ChecksumRun &a, const ChecksumRun &b) = default;
};
static_assert(sizeof(ChecksumRun) == 16);

/// Which run of `pagetide record` a trace belongs to.
struct RunId {
  static constexpr auto kFrame = trace::FrameType::kRunId;
  std::array<std::uint8_t, trace::kRunIdBytes> bytes = {};

  friend bool operator==(const RunId &a, const RunId &b) = default;
};

struct Process {
  static constexpr auto kFrame = trace::FrameType::kProcess;
  std::string executable;
  std::vector<std::string> arguments;
  std::string options;
  std::string engine;
  std::string runtime_version;
};

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t protection = 0;
  std::uint64_t offset = 0;
  std::string name;
  /// Of shared memory, since 1.9: which memory it is.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

struct Mappings {
  static constexpr auto kFrame = trace::FrameType::kMappings;
  std::uint64_t time_ns = 0;
  std::vector<Mapping> mappings;
};

struct ThreadRecord {
  trace::ThreadEvent event = trace::ThreadEvent::kStart;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::string name;
};

struct Threads {
  static constexpr auto kFrame = trace::FrameType::kThreads;
  std::vector<ThreadRecord> records;
};

/// One part of what the kernel saw written in a period.
struct KernelWrites {
  static constexpr auto kFrame = trace::FrameType::kKernelWrites;
  std::uint64_t index = 0; ///< of the period
  bool last = true;
  bool exiting = false; ///< trace::kPartExiting
  std::uint64_t time_ns = 0;
  /// In pages, not granules; flags are trace::KernelRunFlags.
  std::vector<GranuleRun> runs;
};

struct Region {
  trace::RegionKind kind = trace::RegionKind::kRuntime;
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tid = 0;
  std::string text;
};

struct Regions {
  static constexpr auto kFrame = trace::FrameType::kRegions;
  std::uint64_t time_ns = 0;
  std::vector<Region> regions;
};

/// A place in the source. Strings are indices into a SiteTablePart's.
struct SitePlace {
  std::uint32_t function; ///< linkage name
  std::uint32_t file;
  std::uint64_t line; ///< 0: not known. Of kSiteReturn: an offset in the file
  std::uint32_t column;
};

/// What the ids of some sites mean. site_table.h collects these.
struct SiteTablePart {
  static constexpr auto kFrame = trace::FrameType::kSiteTable;
  struct Site {
    std::uint32_t id;
    std::uint8_t kind; ///< trace::SiteKind
    SitePlace place;
    std::size_t first_caller; ///< where it was inlined, the innermost first
    std::size_t caller_count;
  };
  std::vector<std::string> strings;
  std::vector<Site> sites;
  std::vector<SitePlace> callers;

  std::span<const SitePlace> callers_of(const Site &site) const {
    return std::span(callers).subspan(site.first_caller, site.caller_count);
  }
};

/// Neighbouring granules that a thread touched from the same sites.
struct SiteRun {
  std::uint64_t first;
  std::uint64_t count;
  /// Ids of sites, perhaps with trace::kSiteMay; 0: none. Under layout access
  /// (geometry().layout) `read` is the site of the access, of whatever kind.
  std::uint32_t read;
  std::uint32_t write;

  std::uint64_t end() const { return first + count; }
  friend bool operator==(const SiteRun &a, const SiteRun &b) = default;
};

/// The site of an access that is certain; 0 if there is none.
constexpr std::uint32_t certain_site(std::uint32_t site) {
  return site & trace::kSiteMay ? 0 : site;
}

/// One part of the sites of a period. All parts come before the period's first
/// PeriodPart. The writer takes a whole period in this form.
struct PeriodSites {
  /// The runs of one thread, by thread in every recording.
  struct Section {
    std::uint32_t tid; ///< 0: threads without a shadow of their own
    std::size_t first_run;
    std::size_t run_count;
  };

  std::uint64_t index = 0; ///< of the period
  bool first = true;
  bool last = true;
  std::uint64_t start_ns = 0; ///< of the period
  std::uint64_t end_ns = 0;
  std::vector<Section> sections;
  std::vector<SiteRun> runs;

  std::span<const SiteRun> runs_of(const Section &section) const {
    return std::span(runs).subspan(section.first_run, section.run_count);
  }
  void add_section(std::uint32_t tid, std::span<const SiteRun> of_thread) {
    sections.push_back({tid, runs.size(), of_thread.size()});
    runs.insert(runs.end(), of_thread.begin(), of_thread.end());
  }
};

/// How a period ended that was to end in a cut. It comes before the period's
/// first part.
struct Cut {
  static constexpr auto kFrame = trace::FrameType::kCut;
  std::uint64_t index = 0;   ///< of the period
  std::uint64_t time_ns = 0; ///< the instant; 0: there was no cut
  std::uint64_t pause_ns = 0;
  std::uint64_t marked = 0; ///< granules read while the threads stood
  std::uint64_t unsettled = 0;
  std::uint64_t rounds = 0;
  std::string reason; ///< why there was none; empty if there was one
};

struct Note {
  static constexpr auto kFrame = trace::FrameType::kNote;
  std::uint64_t time_ns = 0;
  std::uint64_t period = 0;
  trace::NoteCode code = trace::NoteCode::kInfo;
  std::string text;
};

struct End {
  std::uint64_t time_ns = 0;
  trace::EndReason reason = trace::EndReason::kExit;
  std::uint64_t detail = 0;
  /// One above the last period's index. Traces before version 1.4 do not say.
  std::optional<std::uint64_t> periods = {};
};

/// One part of a period. The writer also takes a whole period in this form, and
/// cuts it into parts.
struct PeriodPart {
  /// The runs of one thread: run_count entries of `runs` from first_run on.
  struct Section {
    std::uint32_t tid;
    std::size_t first_run;
    std::size_t run_count;
  };

  std::uint64_t index = 0;
  bool first = true; ///< the reader sets it for traces before 1.4 too
  bool last = true;
  std::uint8_t flags = 0; ///< trace::PeriodFlags
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t overruns = 0;
  std::vector<Section> sections;
  std::vector<GranuleRun> runs;
  std::vector<ChecksumRun> checksum_runs;
  std::vector<std::uint64_t> hashes; ///< one per stable granule, in order
  /// One per hash, with trace::kHeaderRelativeHashes. Otherwise empty.
  std::vector<std::uint64_t> relative_hashes;
  /// In the last part only.
  std::uint64_t combined = 0;
  std::uint64_t stable = 0;
  std::uint64_t left_out = 0;
  /// How many trace::is_context() frames come before. A TraceWriter sets it.
  std::uint64_t context = 0;

  /// Whether the part does not change any more. union_of_sections() then does
  /// its work once, however many ask.
  bool is_final = false;
  mutable std::optional<std::vector<GranuleRun>> united;

  std::span<const GranuleRun> runs_of(const Section &section) const {
    return std::span(runs).subspan(section.first_run, section.run_count);
  }
  void add_section(std::uint32_t tid, std::span<const GranuleRun> of_thread) {
    sections.push_back({tid, runs.size(), of_thread.size()});
    runs.insert(runs.end(), of_thread.begin(), of_thread.end());
  }
  /// Empties the part and keeps its memory.
  void clear() {
    sections.clear();
    runs.clear();
    checksum_runs.clear();
    hashes.clear();
    relative_hashes.clear();
    combined = stable = left_out = 0;
    is_final = false;
    united.reset();
  }
};

/// Whether the precision is near. A mark may then mean either of two granules.
inline bool is_near(const trace::FileHeader &header) {
  return header.cell_shift < header.granule_shift;
}

/// English words for what headers and frames say. A value that a later minor
/// version added is given as a number, or is "unknown".
const char *precision_name(const trace::FileHeader &header);
inline constexpr trace::ChecksumMode kChecksumModes[] = {
    trace::ChecksumMode::kNone, trace::ChecksumMode::kWritten,
    trace::ChecksumMode::kAccessed};
inline constexpr trace::UnstablePolicy kUnstablePolicies[] = {
    trace::UnstablePolicy::kFlag, trace::UnstablePolicy::kRehash,
    trace::UnstablePolicy::kStop, trace::UnstablePolicy::kCut};
const char *checksum_mode_name(trace::ChecksumMode mode);
const char *unstable_policy_name(trace::UnstablePolicy policy);
/// The id in hexadecimal digits.
std::string run_id_text(const RunId &id);
std::string end_reason_name(const End &end);
std::string note_code_name(trace::NoteCode code);

} // namespace pagetide::tools
