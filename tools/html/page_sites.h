//===- page_sites.h - Which sites touched each page of a process ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/page_table.h"
#include "analysis/sharing.h"
#include "html/packed_bytes.h"
#include "html/page_records.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pagetide::tools {

/// Collects which sites touched the pages of one process. Its memory is
/// bounded.
class PageSites {
public:
  static constexpr std::size_t kMaxSets = 65536;
  static constexpr std::size_t kMaxOfSet = 24;

  explicit PageSites(std::size_t table_bytes) : pages_(table_bytes) {}

  /// Takes the certain sites of rows, or of one.
  void add(std::span<const SiteRun> rows);
  void add(const SiteRun &run);

  /// The number by which the document lists a site. UINT32_MAX: it does not.
  using NumberOf = std::function<std::uint32_t(std::uint32_t id)>;
  /// The count of sets. Then each set: the count of its listed sites, the count
  /// of its others, and numbers of the listed ones. Then for each page the set
  /// of sites that read it, and for each page the set of those that wrote it: 0
  /// is none, 1 the first set. One above the last set: it is not known.
  ByteColumns columns_of(const std::vector<PageRecords::Entry> &pages,
                         const NumberOf &number_of) const;

private:
  struct Sites {
    std::uint32_t read = 0; ///< numbers of sets
    std::uint32_t written = 0;
  };

  PageTable<Sites> pages_;
  KeyNumbers ids_;
  ThreadSets sets_; ///< of sites
};

} // namespace pagetide::tools
