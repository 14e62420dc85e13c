//===- address_space.h - Which group each page belongs to -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "audit/audit_result.h"
#include "audit/elf_image.h"
#include "audit/page_range.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Pages of one group. Lists of segments are sorted, and segments do not
/// overlap.
struct Segment {
  std::uint64_t first;
  std::uint64_t end;
  std::size_t group;
};

/// Which group each page belongs to, by the mappings and regions of the trace.
class AddressSpace {
public:
  AddressSpace(unsigned page_shift, const ModuleLookup &look_up)
      : page_shift_(page_shift), look_up_(look_up) {}

  void set_executable(const std::string &path) { executable_ = path; }
  void set_mappings(const Mappings &mappings);
  /// A period has ended. Files that appeared in it are no longer new.
  void end_period() {
    stale_ |= !appeared_.empty();
    appeared_.clear();
  }
  void set_exiting(bool exiting) {
    stale_ |= exiting != exiting_;
    exiting_ = exiting;
  }
  void set_regions(const Regions &regions);
  /// Pages that system calls may be writing, by the regions last set.
  const std::vector<PageRange> &in_flight() const { return in_flight_; }

  /// By the mappings and regions last set.
  const std::vector<Segment> &segments() {
    if (stale_)
      build();
    stale_ = false;
    return segments_;
  }

  std::vector<AuditGroup> &groups() { return groups_; }
  std::vector<LoadedModule> modules() const;
  /// Adds what the page's file says about it.
  void describe(std::size_t group, UncoveredPage &page);

private:
  struct Module {
    ModuleFile file;
    bool is_code = false; ///< some mapping of it was executable
    /// What to add to an address as linked to get the address as mapped. If the
    /// file was mapped at several places, of the last one.
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
  bool exiting_ = false;
  bool stale_ = true;
  std::vector<Segment> segments_;
  std::map<std::string, Module> modules_;
  std::map<std::pair<PageKind, std::string>, std::size_t> by_name_;
  std::vector<AuditGroup> groups_;
};

} // namespace pagetide::tools
