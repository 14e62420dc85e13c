//===- mappings_report.cpp - Pages and periods of each mapping ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_kinds.h"

#include "analysis/access_counts.h"
#include "analysis/largest_first.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace pagetide::tools {

namespace {

/// What was accessed in the mappings of one name.
struct MappingFigures {
  std::uint64_t granules = 0; ///< distinct
  std::uint64_t read = 0;     ///< distinct
  std::uint64_t written = 0;  ///< distinct
  std::uint64_t periods = 0;  ///< in which anything was accessed
  std::uint64_t sum = 0;      ///< of each period's granules
  bool is_lower_bound = false;
};

/// The sets of one name.
struct MappingSets {
  explicit MappingSets(MemoryBudget &budget)
      : granules(budget), periods(budget) {}

  void add(const GranuleRun &piece, const PeriodTime &period) {
    periods.insert(period.index, period.index + 1);
    sum += piece.count;
  }

  AccessSets granules;
  GranuleSet periods; ///< by index: pieces of one can come late
  std::uint64_t sum = 0;
};

class MappingsReport : public RunReport {
public:
  std::span<const ReportColumn> columns() const override {
    static constexpr ReportColumn kColumns[] = {
        {"name"},    {"distinct"}, {"read"},          {"written"},
        {"periods"}, {"accessed"}, {"is_lower_bound"}};
    return kColumns;
  }

  std::vector<ReportRow> rows() const override {
    std::vector<ReportRow> rows;
    for (const Entry *entry : largest()) {
      const auto &[name, figures] = *entry;
      rows.push_back({name, figures.granules, if_told(figures.read),
                      if_told(figures.written), figures.periods, figures.sum,
                      figures.is_lower_bound});
    }
    return rows;
  }

private:
  /// Memory that processes share is the same pages in each: by device, inode
  /// and the place in it.
  struct SharedObject {
    explicit SharedObject(MemoryBudget &budget) : granules(budget) {}
    AccessSets granules;
    MappingFigures counted; ///< so far
  };

  class Taker : public TraceTaker {
  public:
    Taker(MappingsReport &report, SelectedTrace &trace)
        : report_(report), trace_(trace) {
      trace.place_mappings([this](const MappingNames::Place &place,
                                  const GranuleRun &piece,
                                  const PeriodTime &period) {
        MappingSets &sets =
            sets_.try_emplace(place.name, budget_).first->second;
        sets.add(piece, period);
        if (!place.is_shared()) {
          sets.granules.add(piece);
          return;
        }
        SharedObject &object =
            report_.shared_
                .try_emplace(trace_.object(place), report_.shared_budget_)
                .first->second;
        object.granules.add(place.in_object(piece, report_.granule_shift()));
        shared_names_[&object] = place.name;
      });
    }

    void finish() override {
      for (const auto &[name, of_name] : sets_) {
        MappingFigures &figures = report_.mappings_[trace_.mapping(name)];
        figures.granules += of_name.granules.accessed.count();
        figures.read += of_name.granules.read.count();
        figures.written += of_name.granules.written.count();
        figures.periods += of_name.periods.count();
        figures.sum += of_name.sum;
        figures.is_lower_bound |= of_name.granules.is_lower_bound() ||
                                  of_name.periods.is_lower_bound();
      }
      for (const auto &[object, name] : shared_names_) {
        const AccessSets &sets = object->granules;
        MappingFigures &figures = report_.mappings_[trace_.mapping(name)];
        const MappingFigures now = {.granules = sets.accessed.count(),
                                    .read = sets.read.count(),
                                    .written = sets.written.count()};
        figures.granules += now.granules - object->counted.granules;
        figures.read += now.read - object->counted.read;
        figures.written += now.written - object->counted.written;
        figures.is_lower_bound |= sets.is_lower_bound();
        object->counted = now;
      }
    }

  private:
    MappingsReport &report_;
    SelectedTrace &trace_;
    MemoryBudget budget_{kSetBytes};
    std::map<std::size_t, MappingSets> sets_; ///< by the number of the name
    /// Which the process touched, and the number of the name.
    std::map<SharedObject *, std::size_t> shared_names_;
  };

  using Entry = std::pair<const std::string, MappingFigures>;

  const char *kind() const override { return "mappings"; }
  std::string title() const override {
    return fmt::format("Mappings: the {} that were {} in each", units(),
                       access_word());
  }

  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override {
    return std::make_unique<Taker>(*this, trace);
  }

  void write_text(ReportLines &out) const override {
    if (mappings_.empty()) {
      out.line("Nothing was {}.", access_word());
      return;
    }
    BarTable table = bar_table("mapping", {fmt::format("{}s", unit()), "read",
                                           "written", "periods", "in one"});
    table.noun = "mapping";
    for (const Entry *entry : arranged(largest())) {
      const auto &[name, figures] = *entry;
      const std::uint64_t periods = std::max<std::uint64_t>(figures.periods, 1);
      table.rows.push_back(
          {printable(name),
           {(figures.is_lower_bound ? ">=" : "") +
                format_count(figures.granules),
            if_told(figures.read), if_told(figures.written), figures.periods,
            (figures.sum + periods / 2) / periods},
           bar(figures.granules, figures.written)});
    }
    out.table(
        fmt::format("Distinct {0}s; the periods in which any of them was {1}, "
                    "and how many were in one such period on average",
                    unit(), access_word()),
        std::move(table));
  }

  void write_json(Json &out) const override {
    out["mapping_count"] = mappings_.size();
    out["mappings"] = list(kMaxListedMappings);
  }

  /// Those with the most granules first.
  std::vector<const Entry *> largest() const {
    return largest_first(mappings_, [](const MappingFigures &figures) {
      return std::pair(figures.granules, figures.sum);
    });
  }

  MemoryBudget shared_budget_{kSetBytes};
  std::map<MappingNames::Object, SharedObject> shared_;
  std::map<std::string, MappingFigures> mappings_;
};

} // namespace

std::unique_ptr<RunReport> make_mappings_report() {
  return std::make_unique<MappingsReport>();
}

} // namespace pagetide::tools
