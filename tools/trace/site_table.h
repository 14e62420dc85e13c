//===- site_table.h - What the sites of a trace are -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site is a place in the source that touches memory. Its id is a hash, so two
// places can have the same id. Then nobody can say which of them touched a
// page, and the table hands out both.
//
// Use: give each Frame of type kSiteTable to add(). All tables that a period
// needs precede it in the trace. For each Frame of type kPeriodSites, go
// through sections and runs of frame.period_sites (trace_records.h), and look
// up certain_site(run.read) and certain_site(run.write) unless they are 0.

#pragma once

#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pagetide::tools {

/// A place in the source. The texts belong to the SiteTable.
struct SourcePlace {
  std::string_view function; ///< linkage name; see demangled()
  std::string_view file;     ///< empty: not known
  std::uint64_t line = 0;    ///< 0: not known
  std::uint32_t column = 0;

  friend bool operator==(const SourcePlace &a, const SourcePlace &b) = default;
};

struct Site {
  std::uint8_t kind = 0; ///< trace::SiteKind
  /// With trace::kSiteReturn: a call of libc that returns to offset `line` of
  /// the loaded file `file`.
  SourcePlace place;
  /// Where the place was inlined, the innermost first.
  std::vector<SourcePlace> callers;

  bool is_return() const { return kind & trace::kSiteReturn; }
};

class SiteTable {
public:
  SiteTable() = default;
  SiteTable(const SiteTable &) = delete;
  SiteTable &operator=(const SiteTable &) = delete;
  SiteTable(SiteTable &&) = default;
  SiteTable &operator=(SiteTable &&) = default;

  void add(const SiteTablePart &part);

  /// The places that the id may mean: none if it is not known, more than one if
  /// it is ambiguous.
  std::span<const Site> find(std::uint32_t id) const;

  bool empty() const { return sites_.empty(); }
  std::size_t size() const { return sites_.size(); }
  /// Whether sites were left out because there are too many.
  bool is_full() const { return full_; }

  /// For each id, in no order: visit(id, places).
  template <typename Visit> void for_each(Visit visit) const {
    for (const auto &[id, places] : sites_)
      visit(id, std::span<const Site>(places));
  }

  /// Bounds the memory of a table.
  static constexpr std::size_t kMaxSites = std::size_t{1} << 20;
  static constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

private:
  std::string_view keep(const std::string &text);

  std::unordered_map<std::uint32_t, std::vector<Site>> sites_;
  std::set<std::string, std::less<>> texts_; ///< never moves what it holds
  std::size_t places_ = 0;
  std::size_t text_bytes_ = 0;
  bool full_ = false;
};

/// A function's name as it is in the source. Names that are not C++'s stay.
std::string demangled(std::string_view function);

/// "function at file:line:column", as far as that is known. Of a call of libc
/// (kSiteReturn) "a call of libc at file+0xoffset".
std::string place_text(const Site &site);
/// The same, followed by ", inlined in CALLER at FILE:LINE" for each caller.
/// Several places are parted by " or ". "unknown site 0x..." or "a call of libc
/// at an unknown place" if there are none.
std::string site_text(const SiteTable &table, std::uint32_t id);

} // namespace pagetide::tools
