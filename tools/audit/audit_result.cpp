//===- audit_result.cpp - What an audit has found -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "audit/audit_result.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

/// How many pages of a group a sum over processes lists.
constexpr std::size_t kMaxSummedPages = 1000;

void add_group(AuditGroup &sum, const AuditGroup &other) {
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

} // namespace

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

} // namespace pagetide::tools
