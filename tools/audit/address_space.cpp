//===- address_space.cpp - Which group each page belongs to ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/address_space.h"

#include "support/pieces.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxGroups = 16384;
constexpr std::size_t kMaxGroupNameBytes = 4096; // PATH_MAX
constexpr std::size_t kMaxVariables = 4;

} // namespace

AddressSpace::Module &AddressSpace::module_of(const std::string &path) {
  const auto found = modules_.find(path);
  if (found != modules_.end())
    return found->second;
  Module &module = modules_[path];
  if (modules_.size() < kMaxGroups)
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
  const auto key = std::make_pair(kind, name.substr(0, kMaxGroupNameBytes));
  const auto found = by_name_.find(key);
  if (found != by_name_.end())
    return found->second;
  if (by_name_.size() >= kMaxGroups && name != "[other mappings]")
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
  if (appeared_.contains(mapping.name)) // dlopen has just relocated it
    return PageKind::kLoader;
  if (!module->file.instrumented)
    return PageKind::kPlain;
  if (exiting_)
    return PageKind::kExiting;
  return mapping.name == executable_ ? PageKind::kProgram : PageKind::kLibrary;
}

/// Appends a segment to a sorted list. A page that two segments share belongs
/// to the first one.
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
  for (const Mapping &mapping : mappings_) {
    Module *module = nullptr;
    if (mapping.name.starts_with("/") &&
        !(mapping.protection & trace::kMappingShared)) {
      module = &module_of(mapping.name);
      if (mapping.protection & 4)
        module->is_code = true;
      if (module->file.is_elf && mapping.offset == 0 &&
          !(mapping.protection & trace::kMappingBss)) {
        module->bias = mapping.start - module->file.first_address;
        module->has_bias = true;
      }
    }
    const PageKind kind = kind_of(mapping, module);
    const std::size_t group =
        group_of(kind, mapping.name.empty() ? "[anonymous]" : mapping.name);
    const std::uint64_t end = mapping.start + mapping.bytes;
    std::uint64_t relro = end, behind = end;
    if (module && module->has_bias && kind != PageKind::kRuntime) {
      const auto within = [&](std::uint64_t address) {
        return std::clamp(module->bias + address, mapping.start, end);
      };
      relro = within(module->file.relro_begin);
      behind = within(module->file.relro_end);
    }
    add(segments_, mapping.start, relro, group);
    if (relro < behind)
      add(segments_, relro, behind, group_of(PageKind::kLoader, mapping.name));
    add(segments_, behind, end, group);
  }
  lay_regions();
}

/// True if the page is in memory without a name. When the loader's own memory
/// is used up, its records are in the program's heap.
bool AddressSpace::is_without_name(std::uint64_t address) const {
  const std::uint64_t page = address >> page_shift_;
  const auto at =
      std::partition_point(segments_.begin(), segments_.end(),
                           [&](const Segment &s) { return s.end <= page; });
  return at != segments_.end() && at->first <= page &&
         groups_[at->group].kind == PageKind::kAnonymous;
}

/// Replaces the groups of pages that a region covers.
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
  Pieces pieces(over);
  for (const Segment &s : under)
    pieces.divide(
        s.first, s.end,
        [&](std::uint64_t first, std::uint64_t end, const Segment *top) {
          segments_.push_back({first, end, top ? top->group : s.group});
        });
}

std::vector<LoadedModule> AddressSpace::modules() const {
  std::vector<LoadedModule> out;
  for (const auto &[path, module] : modules_)
    if (module.file.is_elf && module.is_code)
      out.push_back({path, module.file.instrumented, is_system_library(path),
                     is_runtime_library(path), path == executable_,
                     module.file.not_seen});
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

} // namespace pagetide::tools
