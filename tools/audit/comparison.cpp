//===- comparison.cpp - Which written pages no mark covers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "audit/comparison.h"

#include "trace/runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxListedPages = 1 << 20;
constexpr std::size_t kMaxNames = 16384;
constexpr std::size_t kMaxNameBytes = 4096; // PATH_MAX
constexpr std::size_t kMaxNotes = 64;
constexpr std::size_t kMaxUnseen = 1024;
constexpr std::size_t kMaxVariables = 4;
/// Of a group in a sum over processes.
constexpr std::size_t kMaxSummedPages = 1000;

struct KindInfo {
  Concern concern;
  const char *key;
  const char *text;
};
constexpr std::array<KindInfo, kPageKinds> kKinds = {{
    {Concern::kProgram, "program", "data of the program"},
    {Concern::kProgram, "library", "data of an instrumented library"},
    {Concern::kProgram, "plain", "data of a file that is not instrumented"},
    {Concern::kSystem, "system", "data of the C library or the loader"},
    {Concern::kSystem, "loader", "relocations, written by the loader"},
    {Concern::kSystem, "leaving", "written while the process exits"},
    {Concern::kProgram, "heap", "heap"},
    {Concern::kProgram, "anonymous", "memory without a name"},
    {Concern::kProgram, "shared", "shared memory"},
    {Concern::kProgram, "file", "private mapping of a file"},
    {Concern::kStacks, "main-stack", "stack of the first thread"},
    {Concern::kStacks, "thread-stack",
     "thread stacks and thread-local storage"},
    {Concern::kStacks, "thread-local",
     "thread-local storage of the first thread"},
    {Concern::kNone, "runtime", "Pagetide's runtime"},
}};

const KindInfo &info_of(PageKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

void sort_groups(std::vector<AuditGroup> &groups) {
  std::sort(groups.begin(), groups.end(),
            [](const AuditGroup &a, const AuditGroup &b) {
              const Concern x = concern_of(a.kind), y = concern_of(b.kind);
              if (x != y)
                return x < y;
              if (a.uncovered() != b.uncovered())
                return a.uncovered() > b.uncovered();
              return a.name != b.name ? a.name < b.name : a.kind < b.kind;
            });
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

/// Pages [first, end).
struct PageRange {
  std::uint64_t first;
  std::uint64_t end;
};

/// Appends to a list that rises; joins what touches or overlaps.
void append(std::vector<PageRange> &ranges, PageRange range) {
  if (!ranges.empty() && range.first <= ranges.back().end)
    ranges.back().end = std::max(ranges.back().end, range.end);
  else
    ranges.push_back(range);
}

/// The union of lists, each of which rises.
std::vector<PageRange>
united(const std::vector<const std::vector<PageRange> *> &lists) {
  std::vector<PageRange> all;
  for (const std::vector<PageRange> *list : lists)
    all.insert(all.end(), list->begin(), list->end());
  std::sort(all.begin(), all.end(), [](const PageRange &a, const PageRange &b) {
    return a.first < b.first;
  });
  std::vector<PageRange> out;
  for (const PageRange &range : all)
    append(out, range);
  return out;
}

/// Calls inside(a, b) and outside(a, b) for the pieces of `range` that lie in
/// the rising list and those that do not.
template <typename Inside, typename Outside>
void split(PageRange range, const std::vector<PageRange> &list, Inside inside,
           Outside outside) {
  auto at =
      std::partition_point(list.begin(), list.end(), [&](const PageRange &r) {
        return r.end <= range.first;
      });
  while (range.first < range.end) {
    if (at == list.end() || at->first >= range.end) {
      outside(range.first, range.end);
      return;
    }
    if (at->first > range.first) {
      outside(range.first, at->first);
      range.first = at->first;
    }
    const std::uint64_t to = std::min(range.end, at->end);
    inside(range.first, to);
    range.first = to;
    ++at;
  }
}

//===----------------------------------------------------------------------===//
// What lies where
//===----------------------------------------------------------------------===//

/// Pages of one group. Segments rise and do not overlap.
struct Segment {
  std::uint64_t first;
  std::uint64_t end;
  std::size_t group;
};

class AddressSpace {
public:
  AddressSpace(unsigned page_shift, const ModuleLookup &look_up)
      : page_shift_(page_shift), look_up_(look_up) {}

  void set_executable(const std::string &path) { executable_ = path; }
  void set_mappings(const Mappings &mappings);
  /// A period has ended: what appeared in it is new no longer.
  void end_period() {
    stale_ |= !appeared_.empty();
    appeared_.clear();
  }
  void set_leaving(bool leaving) {
    stale_ |= leaving != leaving_;
    leaving_ = leaving;
  }
  void set_regions(const Regions &regions);
  /// Pages that system calls may be writing, by the regions last set.
  const std::vector<PageRange> &in_flight() const { return in_flight_; }

  /// Those of the mappings and regions last set.
  const std::vector<Segment> &segments() {
    if (stale_)
      build();
    stale_ = false;
    return segments_;
  }

  std::vector<AuditGroup> &groups() { return groups_; }
  std::vector<LoadedModule> modules() const;
  /// Fills in what the page's file says of it.
  void describe(std::size_t group, UncoveredPage &page);

private:
  struct Module {
    ModuleFile file;
    bool is_code = false; ///< some mapping of it was executable
    /// From addresses as linked to addresses as mapped, at the last place.
    std::uint64_t bias = 0;
    bool has_bias = false;
  };

  Module &module_of(const std::string &path);
  std::size_t group_of(PageKind kind, const std::string &name);
  PageKind kind_of(const Mapping &mapping, const Module *module) const;
  void add(std::vector<Segment> &segments, std::uint64_t begin,
           std::uint64_t end, std::size_t group) const;
  void build();
  bool is_without_name(std::uint64_t address) const;
  void lay_regions();

  unsigned page_shift_;
  const ModuleLookup &look_up_;
  std::string executable_;
  std::vector<Mapping> mappings_;
  std::vector<Region> regions_;
  std::vector<PageRange> in_flight_;
  /// Files that were not mapped before this period.
  std::set<std::string> appeared_;
  bool leaving_ = false;
  bool stale_ = true;
  std::vector<Segment> segments_;
  std::map<std::string, Module> modules_;
  std::map<std::pair<PageKind, std::string>, std::size_t> by_name_;
  std::vector<AuditGroup> groups_;
};

AddressSpace::Module &AddressSpace::module_of(const std::string &path) {
  const auto found = modules_.find(path);
  if (found != modules_.end())
    return found->second;
  Module &module = modules_[path];
  if (modules_.size() < kMaxNames)
    module.file = look_up_(path);
  return module;
}

void AddressSpace::set_mappings(const Mappings &mappings) {
  std::set<std::string> before;
  for (const Mapping &mapping : mappings_)
    before.insert(mapping.name);
  if (!mappings_.empty())
    for (const Mapping &mapping : mappings.mappings)
      if (mapping.name.starts_with("/") && !before.contains(mapping.name))
        appeared_.insert(mapping.name);
  mappings_ = mappings.mappings;
  stale_ = true;
}

void AddressSpace::set_regions(const Regions &regions) {
  std::vector<PageRange> in_flight;
  regions_.clear();
  for (const Region &region : regions.regions)
    if (region.kind != trace::RegionKind::kInFlight)
      regions_.push_back(region);
    else if (region.bytes != 0)
      in_flight.push_back(
          {region.start >> page_shift_,
           ((region.start + (region.bytes - 1)) >> page_shift_) + 1});
  in_flight_ = united({&in_flight});
  stale_ = true;
}

std::size_t AddressSpace::group_of(PageKind kind, const std::string &name) {
  const auto key = std::make_pair(kind, name.substr(0, kMaxNameBytes));
  const auto found = by_name_.find(key);
  if (found != by_name_.end())
    return found->second;
  if (by_name_.size() >= kMaxNames && name != "[other mappings]")
    return group_of(kind, "[other mappings]");
  AuditGroup group;
  group.kind = kind;
  group.name = key.second;
  groups_.push_back(std::move(group));
  return by_name_[key] = groups_.size() - 1;
}

PageKind AddressSpace::kind_of(const Mapping &mapping,
                               const Module *module) const {
  if (module && is_runtime_library(mapping.name))
    return PageKind::kRuntime;
  if (mapping.protection & trace::kMappingShared)
    return PageKind::kShared;
  if (mapping.name.empty() || mapping.name.starts_with("[anon:"))
    return PageKind::kAnonymous;
  if (mapping.name == "[heap]")
    return PageKind::kHeap;
  if (mapping.name == "[stack]")
    return PageKind::kMainStack;
  if (!module || !module->file.is_elf)
    return PageKind::kFile;
  if (is_system_library(mapping.name))
    return PageKind::kSystem;
  if (appeared_.contains(mapping.name)) // dlopen: relocated in this period
    return PageKind::kLoader;
  if (!module->file.instrumented)
    return PageKind::kPlain;
  if (leaving_)
    return PageKind::kLeaving;
  return mapping.name == executable_ ? PageKind::kProgram : PageKind::kLibrary;
}

/// Adds a segment to a list that rises; of a page that two share the first has
/// it.
void AddressSpace::add(std::vector<Segment> &segments, std::uint64_t begin,
                       std::uint64_t end, std::size_t group) const {
  std::uint64_t first = begin >> page_shift_;
  if (!segments.empty())
    first = std::max(first, segments.back().end);
  const std::uint64_t last =
      (end + ((std::uint64_t{1} << page_shift_) - 1)) >> page_shift_;
  if (first < last)
    segments.push_back({first, last, group});
}

void AddressSpace::build() {
  segments_.clear();
  // The loader puts a file's segments one after the other, and behind them
  // memory without a name for what is beyond the file (.bss).
  std::string image_name;
  Module *image = nullptr;
  std::uint64_t image_end = 0;
  for (const Mapping &mapping : mappings_) {
    const std::uint64_t end = mapping.start + mapping.bytes;
    Module *module = nullptr;
    if (mapping.name.starts_with("/") &&
        !(mapping.protection & trace::kMappingShared)) {
      module = &module_of(mapping.name);
      if (mapping.protection & 4)
        module->is_code = true;
      if (module->file.is_elf && mapping.offset == 0) {
        module->bias = mapping.start - module->file.first_address;
        module->has_bias = true;
        image = module;
        image_name = mapping.name;
        image_end = module->bias + module->file.end_address;
      }
    }
    Mapping as = mapping;
    if (mapping.name.empty() && image && mapping.start < image_end) {
      as.name = image_name;
      module = image;
    }
    const PageKind kind = kind_of(as, module);
    const std::size_t group =
        group_of(kind, as.name.empty() ? "[anonymous]" : as.name);
    const bool may_hold_relro =
        module && module->has_bias &&
        module->file.relro_begin < module->file.relro_end &&
        kind != PageKind::kRuntime;
    if (!may_hold_relro) {
      add(segments_, mapping.start, end, group);
      continue;
    }
    const auto within = [&](std::uint64_t address) {
      return std::clamp(module->bias + address, mapping.start, end);
    };
    const std::uint64_t relro = within(module->file.relro_begin);
    const std::uint64_t behind = within(module->file.relro_end);
    add(segments_, mapping.start, relro, group);
    if (relro < behind)
      add(segments_, relro, behind, group_of(PageKind::kLoader, as.name));
    add(segments_, behind, end, group);
  }
  lay_regions();
}

/// Where the loader has no memory of its own any more, it takes the program's
/// heap.
bool AddressSpace::is_without_name(std::uint64_t address) const {
  const std::uint64_t page = address >> page_shift_;
  const auto at =
      std::partition_point(segments_.begin(), segments_.end(),
                           [&](const Segment &s) { return s.end <= page; });
  return at != segments_.end() && at->first <= page &&
         groups_[at->group].kind == PageKind::kAnonymous;
}

/// Regions lie over the mappings.
void AddressSpace::lay_regions() {
  std::vector<Segment> over;
  std::vector<Region> regions = regions_;
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) { return a.start < b.start; });
  for (const Region &region : regions) {
    std::size_t group;
    if (region.kind == trace::RegionKind::kThreadStack)
      group = group_of(PageKind::kThreadStack, "[thread stacks]");
    else if (region.kind == trace::RegionKind::kThreadLocal)
      group = group_of(PageKind::kThreadLocal, "[thread-local storage]");
    else if (region.kind == trace::RegionKind::kRuntime)
      group = group_of(PageKind::kRuntime, "[pagetide]");
    else if (region.kind == trace::RegionKind::kLoader &&
             is_without_name(region.start))
      group = group_of(PageKind::kSystem, "[loader]");
    else
      continue;
    add(over, region.start, region.start + region.bytes, group);
  }
  if (over.empty())
    return;
  const std::vector<Segment> under = std::move(segments_);
  segments_.clear();
  auto top = over.begin();
  for (const Segment &s : under) {
    std::uint64_t at = s.first;
    while (at < s.end) {
      while (top != over.end() && top->end <= at)
        ++top;
      const bool covered = top != over.end() && top->first <= at;
      std::uint64_t to = s.end;
      if (top != over.end())
        to = std::min(to, covered ? top->end : top->first);
      segments_.push_back({at, to, covered ? top->group : s.group});
      at = to;
    }
  }
}

std::vector<LoadedModule> AddressSpace::modules() const {
  std::vector<LoadedModule> out;
  for (const auto &[path, module] : modules_)
    if (module.file.is_elf && module.is_code)
      out.push_back({path, module.file.instrumented, is_system_library(path),
                     is_runtime_library(path), path == executable_});
  return out;
}

void AddressSpace::describe(std::size_t group, UncoveredPage &page) {
  const auto found = modules_.find(groups_[group].name);
  if (found == modules_.end() || !found->second.has_bias)
    return;
  page.linked = page.address - found->second.bias;
  if (!found->second.file.variables)
    return;
  page.variables = found->second.file.variables(
      *page.linked, *page.linked + (std::uint64_t{1} << page_shift_));
  if (page.variables.size() > kMaxVariables) {
    page.variables.resize(kMaxVariables);
    page.variables.emplace_back("...");
  }
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

/// What one period says.
struct PeriodSets {
  std::uint64_t index = 0;
  std::vector<PageRange> marked;  ///< as written, for certain or perhaps
  std::vector<PageRange> certain; ///< as written in this period for certain
  bool has_kernel = false;
  std::vector<Segment> written; ///< seen by the kernel, by group
  std::vector<PageRange> seen;  ///< the same without groups, and touched
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

  void take(const Frame &frame);
  Audit finish();

private:
  static unsigned page_shift_of(const trace::FileHeader &header) {
    return header.page_bytes >= 4096 && std::has_single_bit(header.page_bytes)
               ? static_cast<unsigned>(std::countr_zero(header.page_bytes))
               : 12;
  }
  void take(const KernelWrites &part);
  void take(const PeriodPart &part);
  void attribute(PageRange range);
  void add_marks(std::span<const GranuleRun> runs);
  PageRange pages_of(std::uint64_t first, std::uint64_t end) const;
  void settle(std::size_t at);
  void count_uncovered(std::size_t group, std::uint64_t period,
                       std::uint64_t first, std::uint64_t end);

  Geometry geometry_;
  unsigned page_shift_;
  AddressSpace space_;
  Audit audit_;
  PeriodSets open_;
  bool kernel_whole_ = false;
  /// Seen written while a system call that may have done it was under way: to
  /// be compared with a later period, when it has returned.
  std::vector<PageRange> deferred_;
  std::deque<PeriodSets> recent_; ///< at most three
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

/// The pages that granules [first, end) lie in.
PageRange Comparison::pages_of(std::uint64_t first, std::uint64_t end) const {
  const unsigned granule = geometry_.granule_shift;
  if (granule >= page_shift_)
    return {first << (granule - page_shift_), end << (granule - page_shift_)};
  const unsigned shift = page_shift_ - granule;
  return {first >> shift, ((end - 1) >> shift) + 1};
}

void Comparison::add_marks(std::span<const GranuleRun> runs) {
  constexpr unsigned kWritten = trace::kRunWritten | trace::kRunAccessed;
  constexpr unsigned kPossibly =
      kWritten | trace::kRunCarried | trace::kRunMayWritten;
  for (const GranuleRun &run : runs) {
    if (!(run.flags & kPossibly))
      continue;
    // A maybe is this granule or the one before it.
    const bool maybe = run.flags & trace::kRunMaybe;
    append(open_.marked,
           pages_of(run.first - (maybe && run.first != 0 ? 1 : 0), run.end()));
    if (!maybe && (run.flags & trace::kRunWritten))
      append(open_.certain, pages_of(run.first, run.end()));
  }
}

void Comparison::take(const KernelWrites &part) {
  audit_.has_kernel_writes = true;
  if (open_.index != part.index)
    open_ = {};
  space_.set_leaving(part.leaving);
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

/// Adds pages seen written to the open period, by group.
void Comparison::attribute(PageRange range) {
  const std::vector<Segment> &segments = space_.segments();
  constexpr std::size_t kUnknown = SIZE_MAX;
  auto segment = std::partition_point(
      segments.begin(), segments.end(),
      [&](const Segment &s) { return s.end <= range.first; });
  for (std::uint64_t at = range.first; at < range.end;) {
    while (segment != segments.end() && segment->end <= at)
      ++segment;
    const bool inside = segment != segments.end() && segment->first <= at;
    std::uint64_t to = range.end;
    if (segment != segments.end())
      to = std::min(to, inside ? segment->end : segment->first);
    open_.written.push_back({at, to, inside ? segment->group : kUnknown});
    at = to;
  }
}

void Comparison::take(const PeriodPart &part) {
  if (open_.index != part.index) { // the kernel's account was of another period
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

void Comparison::count_uncovered(std::size_t group, std::uint64_t period,
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

/// Compares the period at recent_[at] with its neighbours.
void Comparison::settle(std::size_t at) {
  PeriodSets &period = recent_[at];
  if (!period.has_kernel)
    return;
  ++audit_.compared;
  std::vector<const std::vector<PageRange> *> marks;
  std::vector<const std::vector<PageRange> *> seen;
  for (const PeriodSets &other : recent_) {
    const std::uint64_t distance = other.index > period.index
                                       ? other.index - period.index
                                       : period.index - other.index;
    if (distance > 1)
      continue;
    marks.push_back(&other.marked);
    seen.push_back(&other.seen);
  }
  const std::vector<PageRange> marked = united(marks);
  for (Segment &piece : period.written) {
    if (piece.group == SIZE_MAX) // in no mapping of its list
      continue;
    AuditGroup &group = space_.groups()[piece.group];
    const auto concern = static_cast<std::size_t>(concern_of(group.kind));
    if (group.kind == PageKind::kRuntime)
      continue; // nobody asks
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

void Comparison::take(const Frame &frame) {
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
        audit_.lost.size() < kMaxNotes)
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

Audit Comparison::finish() {
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

} // namespace

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

Concern concern_of(PageKind kind) { return info_of(kind).concern; }
const char *kind_key(PageKind kind) { return info_of(kind).key; }
const char *kind_text(PageKind kind) { return info_of(kind).text; }

bool is_system_library(const std::string &path) {
  static constexpr std::string_view kNames[] = {
      "ld-linux-x86-64.so", "libanl.so",    "libc.so",
      "libdl.so",           "libgcc_s.so",  "libm.so",
      "libmvec.so",         "libnsl.so",    "libnss_",
      "libpthread.so",      "libresolv.so", "librt.so",
      "libthread_db.so",    "libutil.so",   "ld-musl-",
  };
  const std::string_view name = base_name(path);
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view n) { return name.starts_with(n); });
}

bool is_runtime_library(const std::string &path) {
  return base_name(path).starts_with("libpagetide.so");
}

static void add_group(AuditGroup &sum, const AuditGroup &other) {
  sum.written += other.written;
  sum.covered += other.covered;
  sum.periods += other.periods;
  for (const UncoveredPage &page : other.pages) {
    const auto same = [&](const UncoveredPage &p) {
      return page.linked && p.linked == page.linked;
    };
    const auto found = std::find_if(sum.pages.begin(), sum.pages.end(), same);
    if (found != sum.pages.end()) {
      found->periods += page.periods;
      continue;
    }
    ++sum.distinct;
    if (sum.pages.size() < kMaxSummedPages)
      sum.pages.push_back(page);
  }
}

void add_audit(Audit &sum, const Audit &other) {
  sum.has_kernel_writes |= other.has_kernel_writes;
  sum.periods += other.periods;
  sum.compared += other.compared;
  sum.written += other.written;
  sum.covered += other.covered;
  for (std::size_t i = 0; i < kConcerns; ++i) {
    sum.written_by[i] += other.written_by[i];
    sum.uncovered_by[i] += other.uncovered_by[i];
  }
  sum.touched += other.touched;
  sum.marked_only += other.marked_only;
  sum.tells_writes &= other.tells_writes;
  sum.pages_left_out |= other.pages_left_out;
  for (const AuditGroup &group : other.groups) {
    const auto same = [&](const AuditGroup &g) {
      return g.kind == group.kind && g.name == group.name;
    };
    const auto found = std::find_if(sum.groups.begin(), sum.groups.end(), same);
    if (found != sum.groups.end())
      add_group(*found, group);
    else
      sum.groups.push_back(group);
  }
  sort_groups(sum.groups);
  for (const LoadedModule &module : other.modules) {
    const auto same = [&](const LoadedModule &m) {
      return m.path == module.path;
    };
    if (std::none_of(sum.modules.begin(), sum.modules.end(), same))
      sum.modules.push_back(module);
  }
  sum.unseen.insert(sum.unseen.end(), other.unseen.begin(), other.unseen.end());
  sum.lost.insert(sum.lost.end(), other.lost.begin(), other.lost.end());
}

Audit audit_trace(TraceReader reader, const ModuleLookup &look_up) {
  Comparison comparison(reader.header(), look_up);
  Frame frame;
  while (reader.next(frame))
    comparison.take(frame);
  Audit audit = comparison.finish();
  audit.path = reader.name();
  audit.integrity = reader.integrity();
  audit.problem = reader.stop_message();
  return audit;
}

} // namespace pagetide::tools
