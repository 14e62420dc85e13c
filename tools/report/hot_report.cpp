//===- hot_report.cpp - How often, and how lately, pages were accessed ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_kinds.h"

#include "analysis/page_table.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

namespace pagetide::tools {

namespace {

/// Neighbouring granules of one mapping that were accessed in equally many
/// periods.
struct HotRange {
  std::uint64_t first = 0; ///< granule
  std::uint64_t count = 0;
  std::uint64_t periods = 0;
  std::uint64_t written = 0; ///< periods, of the one that was written most
  /// Periods from the last access to any of them to the process's last period.
  std::uint64_t age = 0;
  std::string mapping;
  std::uint32_t pid = 0;
};

/// Granules by a number: 0, 1, 2 to 3, 4 to 7, and so on.
class Octaves {
public:
  struct Count {
    std::uint64_t granules = 0;
    std::uint64_t written = 0; ///< at least once
  };
  void add(std::uint64_t number, bool is_written) {
    Count &count = counts_[static_cast<std::size_t>(std::bit_width(number))];
    ++count.granules;
    count.written += is_written;
    largest_ = std::max(largest_, number);
  }

  /// From 0 to the octave of the largest number.
  std::size_t size() const {
    return static_cast<std::size_t>(std::bit_width(largest_)) + 1;
  }

  const Count &operator[](std::size_t octave) const { return counts_[octave]; }
  static std::uint64_t first_of(std::size_t octave) {
    return octave == 0 ? 0 : std::uint64_t{1} << (octave - 1);
  }

  /// The largest number that was added, if the octave has it.
  std::uint64_t last_of(std::size_t octave) const {
    return std::min(largest_, octave == 64 ? UINT64_MAX
                                           : (std::uint64_t{1} << octave) - 1);
  }

private:
  std::array<Count, 65> counts_ = {};
  std::uint64_t largest_ = 0;
};

constexpr std::size_t kMaxRanges = 1000;

constexpr std::uint64_t kMaxIndex = (std::uint64_t{1} << 48) - 1;

/// There are millions of these.
struct PageHeat {
  std::uint64_t last : 48 = 0; ///< index of the period
  std::uint64_t mapping : 16 = 0;
  std::uint32_t periods = 0;
  std::uint32_t written = 0;
};
static_assert(sizeof(PageHeat) == 16);

bool is_hotter(const HotRange &a, const HotRange &b) {
  return std::tie(b.periods, b.count, a.pid, a.first) <
         std::tie(a.periods, a.count, b.pid, b.first);
}

Json octaves_json(const Octaves &octaves, std::size_t first,
                  bool tells_writes) {
  Json out = Json::array();
  for (std::size_t i = first; i < octaves.size(); ++i)
    out.push_back({{"from", Octaves::first_of(i)},
                   {"to", octaves.last_of(i)},
                   {"granules", octaves[i].granules},
                   {"written", json_if(tells_writes, octaves[i].written)}});
  return out;
}

class HotReport : public RunReport {
public:
  explicit HotReport(std::size_t table_bytes) : table_bytes_(table_bytes) {}

  std::span<const ReportColumn> columns() const override {
    static constexpr ReportColumn kColumns[] = {
        {"pid", true}, {"address"},   {"granules"}, {"periods"},
        {"written"},   {"age", true}, {"mapping"}};
    return kColumns;
  }

  std::vector<ReportRow> rows() const override {
    std::vector<ReportRow> rows;
    for (const HotRange &range : ranges_)
      rows.push_back({range.pid,
                      fmt::format("{:#x}", range.first << granule_shift()),
                      range.count, range.periods, if_told(range.written),
                      range.age, range.mapping});
    return rows;
  }

private:
  class Taker : public TraceTaker {
  public:
    Taker(HotReport &report, SelectedTrace &trace)
        : report_(report), trace_(trace), pages_(report.table_bytes_) {
      trace.name_mappings(
          [this](std::size_t name, const GranuleRun &piece,
                 const PeriodTime &period) { add(name, piece, period); });
    }

    void take(const PeriodPart &part) override {
      last_period_ = std::min(part.index, kMaxIndex);
    }

    void finish() override {
      HotRange range;
      std::optional<std::uint64_t> mapping; // of the range
      pages_.each([&](std::uint64_t granule, const PageHeat &page) {
        if (page.periods == 0)
          return;
        const std::uint64_t age = last_period_ - page.last;
        report_.by_periods_.add(page.periods, page.written != 0);
        report_.by_age_.add(age, page.written != 0);
        if (mapping == page.mapping && range.first + range.count == granule &&
            range.periods == page.periods) {
          ++range.count;
          range.written = std::max<std::uint64_t>(range.written, page.written);
          range.age = std::min(range.age, age);
          return;
        }
        if (mapping)
          report_.add_range(std::move(range));
        range = {granule,
                 1,
                 page.periods,
                 page.written,
                 age,
                 trace_.mapping(page.mapping),
                 trace_.header().pid};
        mapping = page.mapping;
      });
      if (mapping)
        report_.add_range(std::move(range));
      report_.keep_hottest();
      report_.is_lower_bound_ |= pages_.is_lower_bound();
    }

  private:
    void add(std::size_t name, const GranuleRun &piece,
             const PeriodTime &period) {
      const bool written = piece.flags & trace::kRunWritten;
      pages_.visit(piece.first, piece.end(), [&](PageHeat &page) {
        page.last = std::max<std::uint64_t>(page.last,
                                            std::min(period.index, kMaxIndex));
        page.periods += page.periods != UINT32_MAX;
        page.written += written && page.written != UINT32_MAX;
        page.mapping = name & 0xffff; // there are fewer names
      });
    }

    HotReport &report_;
    SelectedTrace &trace_;
    PageTable<PageHeat> pages_;
    std::uint64_t last_period_ = 0;
  };

  const char *kind() const override { return "hot"; }
  std::string title() const override {
    return fmt::format("Hot {}s: in how many periods each {} of {} was {}, and "
                       "when last",
                       unit(), unit(), bytes(1), access_word());
  }

  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override {
    return std::make_unique<Taker>(*this, trace);
  }

  void write_text(ReportLines &out) const override {
    if (range_count_ == 0) {
      out.line("Nothing was {}.", access_word());
      return;
    }
    write_octaves(
        out,
        fmt::format("How often: {}s by the number of periods in which "
                    "they were {}",
                    unit(), access_word()),
        by_periods_, false);
    out.line("");
    write_octaves(
        out,
        fmt::format("How lately: {}s by the number of periods from the "
                    "last in which they were {} to the process's last",
                    unit(), access_word()),
        by_age_, true);
    out.line("");
    write_ranges(out);
    if (is_lower_bound_)
      out.line("There were more {}s than this report has memory for; they are "
               "left out.",
               unit());
  }

  void write_json(Json &out) const override {
    out["is_lower_bound"] = is_lower_bound_;
    out["by_periods"] = octaves_json(by_periods_, 1, tells_reads());
    out["by_age"] = octaves_json(by_age_, 0, tells_reads());
    out["range_count"] = range_count_;
    out["ranges"] = list(SIZE_MAX);
  }

  void write_octaves(ReportLines &out, const std::string &heading,
                     const Octaves &octaves, bool is_age) const {
    const std::uint64_t period_ns = traces().front().period_ns;
    BarTable table =
        bar_table(is_age ? "periods ago" : "periods",
                  {"at most", fmt::format("{}s", unit()), "written"});
    table.right_labels = true;
    if (tells_reads())
      table.dark_meaning = "written at least once";
    for (std::size_t i = is_age ? 0 : 1; i < octaves.size(); ++i) {
      const Octaves::Count &count = octaves[i];
      const std::uint64_t first = Octaves::first_of(i);
      const std::uint64_t last = octaves.last_of(i);
      table.rows.push_back({first == last
                                ? format_count(first)
                                : fmt::format("{} to {}", format_count(first),
                                              format_count(last)),
                            {is_age && period_ns != 0
                                 ? Json(format_since_start(last * period_ns))
                                 : Json(),
                             count.granules, if_told(count.written)},
                            bar(count.granules, count.written)});
    }
    out.table(heading, std::move(table));
  }

  void write_ranges(ReportLines &out) const {
    BarTable table =
        bar_table("mapping", {"address", fmt::format("{}s", unit()), "periods",
                              "written", "ago", "process"});
    for (const HotRange &range : arranged(ranges_))
      table.rows.push_back(
          {printable(range.mapping),
           {fmt::format("{:#x}", range.first << granule_shift()), range.count,
            range.periods, if_told(range.written), range.age,
            traces().size() > 1 ? Json(fmt::format("{}", range.pid)) : Json()},
           bar(range.periods, range.written)});
    table.noun = "range";
    table.all_rows = range_count_;
    table.axis_end = [](std::uint64_t periods) {
      return fmt::format("{} period{}", format_count(periods), plural(periods));
    };
    out.table(fmt::format(
                  "Hottest ranges: neighbouring {0}s of one mapping, {1} "
                  "in equally many periods.{2}",
                  unit(), access_word(),
                  tells_reads() ? fmt::format(" Written: the periods of the {} "
                                              "that was written most.",
                                              unit())
                                : ""),
              std::move(table));
  }

  void add_range(HotRange range) {
    ++range_count_;
    ranges_.push_back(std::move(range));
    if (ranges_.size() == 2 * kMaxRanges)
      keep_hottest();
  }

  void keep_hottest() {
    std::sort(ranges_.begin(), ranges_.end(), is_hotter);
    if (ranges_.size() > kMaxRanges)
      ranges_.resize(kMaxRanges);
  }

  std::size_t table_bytes_;
  Octaves by_periods_;
  Octaves by_age_;
  std::vector<HotRange> ranges_; ///< the hottest first
  std::uint64_t range_count_ = 0;
  bool is_lower_bound_ = false;
};

} // namespace

std::unique_ptr<RunReport> make_hot_report(std::size_t table_bytes) {
  return std::make_unique<HotReport>(table_bytes);
}

} // namespace pagetide::tools
