//===- sites_table.cpp - A row for each place in the source --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "export/period_site_runs.h"
#include "trace/site_table.h"

#include <algorithm>
#include <array>
#include <map>

namespace pagetide::tools {

namespace {

constexpr std::array<Column, 13> kSitesColumns = {{
    {"trace", "number of the trace in this export, from 1"},
    {"pid", "of the process"},
    {"site", "number of the site, as in read_site and write_site of pages"},
    {"place",
     "function, file, line and column, and where that was inlined; "
     "all places that it may be, if it is ambiguous",
     true, true},
    {"function", "empty if the site is ambiguous or not known", true, true},
    {"file", "empty if the site is ambiguous or the file is not known", true,
     true},
    {"line", "empty if the site is ambiguous or the line is not known"},
    {"is_return", "1: a call of libc, known by where it returns to: line is "
                  "an offset in the loaded file"},
    {"places", "that the site may be; 0: it is not known"},
    {"read", "rows of pages that this site is said to have read"},
    {"written", "rows of pages that it is said to have written"},
    {"may_read", "rows of pages that it is said to have possibly read"},
    {"may_written", "rows of pages that it is said to have possibly written"},
}};

class SitesSource : public TableSource {
public:
  using TableSource::TableSource;

  void begin() override {
    table_ = SiteTable();
    counts_.clear();
    runs_.begin_trace(trace_->header().flags & trace::kHeaderPerThread);
  }

  void see(const Frame &frame) override {
    if (frame.type == trace::FrameType::kSiteTable)
      table_.add(frame.site_table);
    runs_.see(frame);
  }

  void add(const PeriodPart &part) override {
    for (const PeriodPart::Section &section : part.sections) {
      runs_.begin_section(part.index, section.tid);
      for (const GranuleRun &run : part.runs_of(section))
        for (std::uint64_t granule = run.first; granule < run.end();) {
          std::uint64_t until = run.end();
          const PeriodSiteRuns::Sites sites = runs_.at(granule, until);
          count(sites.read, until - granule, &Counts::read, &Counts::may_read);
          count(sites.write, until - granule, &Counts::written,
                &Counts::may_written);
          granule = until;
        }
    }
  }

  void end_trace() override {
    for (const auto &[id, counts] : counts_)
      write(id, counts);
  }

private:
  struct Counts {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t may_read = 0;
    std::uint64_t may_written = 0;
  };

  void count(std::uint32_t site, std::uint64_t granules,
             std::uint64_t Counts::*certain, std::uint64_t Counts::*possible) {
    const std::uint32_t id = site & ~trace::kSiteMay;
    if (id == 0 ||
        (counts_.size() >= SiteTable::kMaxSites && !counts_.contains(id)))
      return;
    counts_[id].*(certain_site(site) != 0 ? certain : possible) += granules;
  }

  void write(std::uint32_t id, const Counts &counts) {
    const std::span<const Site> places = table_.find(id);
    const SourcePlace place =
        places.size() == 1 ? places.front().place : SourcePlace();
    const bool is_return = places.size() == 1 && places.front().is_return();
    const std::string text = valid_text(site_text(table_, id));
    const std::string function = valid_text(demangled(place.function));
    const std::string file = valid_text(place.file);
    const std::array<Cell, kSitesColumns.size()> cells = {
        Cell::of(number_),
        Cell::of(std::uint64_t{trace_->header().pid}),
        Cell::of(std::uint64_t{id}),
        Cell::of(text),
        function.empty() ? Cell() : Cell::of(function),
        file.empty() ? Cell() : Cell::of(file),
        place.line == 0 ? Cell() : Cell::of(place.line),
        flag_cell(is_return),
        Cell::of(std::uint64_t{places.size()}),
        Cell::of(counts.read),
        Cell::of(counts.written),
        Cell::of(counts.may_read),
        Cell::of(counts.may_written),
    };
    sink_.row(cells.data());
  }

  SiteTable table_;
  PeriodSiteRuns runs_;
  std::map<std::uint32_t, Counts> counts_;
};

} // namespace

extern const Table kSitesTable = {
    "sites",
    "one row per place in the source that touched a page, of programs built "
    "with a site layout",
    kSitesColumns,
    make_source<SitesSource>,
};

} // namespace pagetide::tools
