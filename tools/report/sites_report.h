//===- sites_report.h - Which places in the source touched pages ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/source_text.h"
#include "report/run_report.h"
#include "support/code_places.h"
#include "support/json.h"
#include "trace/site_table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// What marks of one site, or of one line, touched.
struct SiteFigures {
  std::uint64_t pages = 0;   ///< distinct
  std::uint64_t written = 0; ///< distinct
  std::uint64_t shared = 0;  ///< of the pages, with marks of several threads
  std::uint64_t most_threads = 0; ///< that have marks on one of the pages
  std::uint64_t periods = 0;      ///< in which it touched anything
  std::uint64_t sum = 0;          ///< of each period's pages, by thread

  void add(const SiteFigures &other);
};

/// A place whose texts are its own.
struct NamedPlace {
  std::string function; ///< linkage name
  std::string file;
  std::uint64_t line = 0;
  std::uint32_t column = 0;
};

/// What is known of a site.
struct SiteEntry {
  /// One of several places, if it is ambiguous; none: it is in no table.
  struct Place {
    std::uint8_t kind = 0; ///< trace::SiteKind
    NamedPlace at;
    std::vector<NamedPlace> callers; ///< the innermost first
  };
  std::uint32_t id = 0;
  std::vector<Place> places;
  SiteFigures figures;
};

/// "fill (sort.cpp:12:7), in main (main.cpp:40:3)".
std::string short_text(const SiteEntry &site);
/// The same of a site that is in a table. Calls of libc are not looked up.
std::string short_site_text(const SiteTable &table, std::uint32_t id);

/// Whether the line is one of the file: of calls of libc that were not found in
/// the source, it is an offset.
bool has_line(const SiteEntry::Place &place);

class SitesReport : public RunReport {
public:
  /// `lookup` finds the source of calls of libc.
  SitesReport(CodeLookup lookup, SourceRequest source)
      : lookup_(std::move(lookup)), source_(std::move(source)) {}

  /// By key_of().
  const std::map<std::string, SiteEntry> &sites() const { return sites_; }
  /// By what a site is known in all processes of a run: the ids of calls of
  /// libc differ.
  static std::string key_of(const SiteTable &table, std::uint32_t id);
  using RunReport::tells_reads;
  bool is_lower_bound() const { return is_lower_bound_; }
  /// By line, if a file is to be annotated.
  const std::map<std::uint64_t, SiteFigures> &lines() const { return lines_; }

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  const char *kind() const override { return "sites"; }
  std::string title() const override;
  void check(const SelectedTrace &trace) const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  SiteEntry describe(const SiteTable &table, std::uint32_t id) const;
  void write_table(ReportLines &out, const std::string &heading,
                   const std::string &meaning,
                   std::uint64_t SiteFigures::*by) const;
  void write_notes(ReportLines &out) const;
  void write_annotated(ReportLines &out) const;
  /// The sites with the largest figure first, those without it left out.
  std::vector<const SiteEntry *> largest(std::uint64_t SiteFigures::*by) const;
  bool annotates() const { return !source_.file.empty(); }

  CodeLookup lookup_;
  SourceRequest source_;
  std::map<std::string, SiteEntry> sites_;
  std::map<std::uint64_t, SiteFigures> lines_;
  std::set<std::string> annotated_; ///< files that have the name asked for
  bool is_lower_bound_ = false;
  bool left_out_sites_ = false;
};

} // namespace pagetide::tools
