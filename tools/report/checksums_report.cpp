//===- checksums_report.cpp - What writes changed, and what they did not --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_kinds.h"

#include "analysis/largest_first.h"
#include "analysis/page_table.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace pagetide::tools {

namespace {

/// What the checksum of a granule says of a period.
enum class ChecksumResult {
  kChanged,    ///< another content than the one last known
  kEqual,      ///< the same content, though the granule was written
  kFirst,      ///< no earlier content is known
  kUnmarked,   ///< another content, though no write is certain
  kOnlyRead,   ///< the same content, and no write is certain
  kUnstable,   ///< written while it was read
  kGone,       ///< unmapped before it could be read
  kUnreadable, ///< mapped without permission to read
};
constexpr std::size_t kChecksumResults = 8;

/// How many granules had each result, summed over periods.
struct ChecksumCounts {
  std::array<std::uint64_t, kChecksumResults> counts = {};

  std::uint64_t &of(ChecksumResult result) {
    return counts[static_cast<std::size_t>(result)];
  }

  std::uint64_t of(ChecksumResult result) const {
    return counts[static_cast<std::size_t>(result)];
  }

  void add(const ChecksumCounts &other) {
    for (std::size_t i = 0; i < kChecksumResults; ++i)
      counts[i] += other.counts[i];
  }

  std::uint64_t all() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  /// Where the content before is known, and the granule was written.
  std::uint64_t rewritten() const {
    return of(ChecksumResult::kChanged) + of(ChecksumResult::kEqual);
  }
};

using Result = ChecksumResult;

/// Of stretches, if the program ends its periods itself.
constexpr std::uint64_t kMinStretchNs = 1'000'000;

struct ResultWords {
  const char *key;
  const char *words;
};
constexpr ResultWords kWords[kChecksumResults] = {
    {"changed", "changed"},
    {"equal", "written, and equal"},
    {"first", "first known content"},
    {"unmarked", "changed, no certain write"},
    {"only_read", "only read, and equal"},
    {"unstable", "unstable"},
    {"gone", "gone"},
    {"unreadable", "unreadable"},
};

/// The last known content of a granule, and what its checksums said.
struct ContentRecord {
  std::uint64_t hash = 0;
  std::uint32_t epoch = 0; ///< in which the hash was known. 0: it is not
  std::uint32_t name = 0;  ///< of the mapping, plus one; 0: not known
  std::array<std::uint32_t, kChecksumResults> counts = {};
};

/// The checksums of one process.
class ChecksumReader {
public:
  ChecksumReader(std::size_t table_bytes, bool only_named)
      : table_(table_bytes), only_named_(only_named) {}

  void name(std::size_t name, const GranuleRun &piece) {
    table_.visit(piece.first, piece.end(), [&](ContentRecord &record) {
      record.name = static_cast<std::uint32_t>(name + 1);
    });
  }

  void add(const PeriodPart &part) {
    if (part.first) {
      period_ = {};
      // Missing periods may have written anything.
      if (part.index != next_index_)
        ++epoch_;
      next_index_ = part.index + 1;
    }
    ChecksumLookup checksums(part);
    for (const GranuleRun &run : union_of_sections(part, union_scratch_))
      add_run(run, checksums);
  }

  const ChecksumCounts &period() const { return period_; }
  const PageTable<ContentRecord> &table() const { return table_; }

private:
  void add_run(const GranuleRun &run, ChecksumLookup &checksums) {
    for (std::uint64_t at = run.first; at < run.end();) {
      std::uint64_t until = run.end();
      const std::uint64_t *hashes;
      const trace::ChecksumState state = checksums.at(at, until, hashes);
      add_piece(at, until, run.flags, state, hashes);
      at = until;
    }
  }

  /// Takes what a checksum says of neighbouring granules that were accessed
  /// alike. `hashes` has one for each if they are stable.
  void add_piece(std::uint64_t first, std::uint64_t end, unsigned flags,
                 trace::ChecksumState state, const std::uint64_t *hashes) {
    const bool written =
        (flags & (trace::kRunWritten | trace::kRunAccessed)) != 0;
    table_.visit(first, end, [&](ContentRecord &record) {
      const std::uint64_t hash = hashes ? *hashes++ : 0;
      if (only_named_ && record.name == 0)
        return;
      const bool known = record.epoch == epoch_;
      record.epoch = 0;
      Result result;
      switch (state) {
      case trace::ChecksumState::kStable:
        if (!known)
          result = Result::kFirst;
        else if (record.hash != hash)
          result = written ? Result::kChanged : Result::kUnmarked;
        else
          result = written ? Result::kEqual : Result::kOnlyRead;
        record.hash = hash;
        record.epoch = epoch_;
        break;
      case trace::ChecksumState::kUnstable:
        result = Result::kUnstable;
        break;
      case trace::ChecksumState::kGone:
        result = Result::kGone;
        break;
      case trace::ChecksumState::kUnreadable:
        result = Result::kUnreadable;
        break;
      default:
        // No checksum. Only if nothing can have written the granule is its
        // content still known.
        if (known &&
            (flags & ~unsigned{trace::kRunRead | trace::kRunMayRead}) == 0)
          record.epoch = epoch_;
        return;
      }
      ++period_.of(result);
      std::uint32_t &count = record.counts[static_cast<std::size_t>(result)];
      count += count != UINT32_MAX;
    });
  }

  PageTable<ContentRecord> table_;
  bool only_named_;
  ChecksumCounts period_;
  /// Rises whenever nothing is known of the contents any more.
  std::uint32_t epoch_ = 1;
  std::uint64_t next_index_ = 0;
  std::vector<GranuleRun> union_scratch_;
};

Json json_of(const ChecksumCounts &counts) {
  Json out;
  for (std::size_t i = 0; i < kChecksumResults; ++i)
    out[kWords[i].key] = counts.counts[i];
  return out;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0
                                            : 100 * static_cast<double>(part) /
                                                  static_cast<double>(whole));
}

/// Of rows with what was changed, what was written and equal, and the rest.
BarTable change_table(const char *label) {
  BarTable table;
  table.label_heading = label;
  table.headings = {"changed", "equal", "not known"};
  table.dark_meaning = "changed";
  table.light_meaning = "written, and equal";
  return table;
}

BarRow change_row(std::string label, const ChecksumCounts &counts) {
  return {std::move(label),
          {counts.of(Result::kChanged), counts.of(Result::kEqual),
           counts.of(Result::kUnstable) + counts.of(Result::kGone) +
               counts.of(Result::kUnreadable)},
          {counts.rewritten(), counts.of(Result::kChanged)}};
}

class ChecksumsReport : public RunReport {
public:
  ChecksumsReport(std::size_t max_stretches, std::size_t table_bytes)
      : max_stretches_(std::max<std::size_t>(max_stretches, 2)),
        table_bytes_(table_bytes) {}

  std::span<const ReportColumn> columns() const override {
    static const std::vector<ReportColumn> kColumns = [] {
      std::vector<ReportColumn> columns = {{"name"}};
      for (const ResultWords &result : kWords)
        columns.push_back({result.key});
      return columns;
    }();
    return kColumns;
  }

  std::vector<ReportRow> rows() const override {
    std::vector<ReportRow> rows;
    for (const Entry *entry : busiest()) {
      ReportRow &row = rows.emplace_back(ReportRow{entry->first});
      for (const std::uint64_t count : entry->second.counts)
        row.push_back(count);
    }
    return rows;
  }

private:
  class Taker : public TraceTaker {
  public:
    Taker(ChecksumsReport &report, SelectedTrace &trace)
        : report_(report), trace_(trace),
          reader_(report.table_bytes_, !trace.selection().mapping.empty()) {
      trace.name_mappings(
          [this](std::size_t name, const GranuleRun &piece,
                 const PeriodTime &) { reader_.name(name, piece); });
    }

    void take(const PeriodPart &part) override {
      reader_.add(part);
      if (!part.last)
        return;
      report_.sums_.add(reader_.period());
      const std::uint64_t start =
          std::min(trace_.since_start(part.start_ns), kMaxTime);
      const std::uint64_t end =
          std::clamp(trace_.since_start(part.end_ns), start, kMaxTime);
      const std::uint64_t middle = start + (end - start) / 2;
      report_.add_period(std::max(middle, report_.from_ns_) - report_.from_ns_,
                         reader_.period());
    }

    void finish() override {
      reader_.table().each([&](std::uint64_t, const ContentRecord &record) {
        ChecksumCounts counts;
        for (std::size_t i = 0; i < kChecksumResults; ++i) {
          counts.counts[i] = record.counts[i];
          report_.distinct_.counts[i] += record.counts[i] != 0;
        }
        if (counts.all() == 0)
          return;
        report_.never_changed_ += counts.of(Result::kEqual) != 0 &&
                                  counts.of(Result::kChanged) == 0 &&
                                  counts.of(Result::kUnmarked) == 0 &&
                                  counts.of(Result::kUnstable) == 0;
        report_
            .mappings_[record.name == 0 ? "[unknown]"
                                        : trace_.mapping(record.name - 1)]
            .add(counts);
      });
      report_.is_lower_bound_ |= reader_.table().is_lower_bound();
    }

  private:
    ChecksumsReport &report_;
    SelectedTrace &trace_;
    ChecksumReader reader_;
  };

  using Entry = std::pair<const std::string, ChecksumCounts>;

  const char *kind() const override { return "checksums"; }
  std::string title() const override {
    return fmt::format(
        "Checksums: what the writes changed in {}, and what they "
        "did not",
        units());
  }

  void check(const SelectedTrace &trace) const override {
    if (trace.header().checksum_mode == trace::ChecksumMode::kNone)
      throw Failure("{}: has no checksums; record them with: pagetide record "
                    "--checksum written -- CMD",
                    printable(trace.path()));
  }

  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override {
    from_ns_ = trace.selection().from_ns;
    if (stretch_ns_ == 0)
      stretch_ns_ = std::clamp<std::uint64_t>(
          trace.header().period_ns, kMinStretchNs, std::uint64_t{1} << 42);
    return std::make_unique<Taker>(*this, trace);
  }

  void write_text(ReportLines &out) const override {
    if (sums_.all() == 0) {
      out.line("No {} has a checksum in what is selected.", unit());
      return;
    }
    write_results(out);
    out.line("");
    write_stretches(out);
    out.line("");
    write_mappings(out);
    out.line("");
    const std::uint64_t equal = sums_.of(Result::kEqual);
    if (sums_.rewritten() == 0)
      out.statement(fmt::format(
          "No {} was written again while its content was known, so there is "
          "nothing to compare. Not known: unstable, gone or unreadable.",
          unit()));
    else
      out.statement(fmt::format(
          "Of {}{} rewritten {}s, summed over periods, {} ({}) had the same "
          "content as before: these writes changed nothing. {} {}{} rewritten "
          "and never changed. Not known: unstable, gone or unreadable.",
          is_lower_bound_ ? "at least " : "", format_count(sums_.rewritten()),
          unit(), format_count(equal), percent(equal, sums_.rewritten()),
          format_count(never_changed_), unit(),
          never_changed_ == 1 ? " was" : "s were"));
    if (sums_.of(Result::kUnstable) > sums_.all() / 2)
      out.statement(
          "Most checksums are unstable: the program wrote the pages "
          "while they were read. pagetide record --unstable stop stops "
          "it for that time.");
  }

  void write_json(Json &out) const override {
    out["summed"] = json_of(sums_);
    out["distinct"] = json_of(distinct_);
    out["never_changed"] = never_changed_;
    out["is_lower_bound"] = is_lower_bound_;
    out["stretch_ns"] = stretch_ns_;
    out["stretches"] = Json::array();
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      Json stretch = {{"start_ns", from_ns_ + i * stretch_ns_}};
      stretch.update(json_of(stretches_[i]));
      out["stretches"].push_back(std::move(stretch));
    }
    out["mapping_count"] = mappings_.size();
    out["mappings"] = list(kMaxListedMappings);
  }

  void add_period(std::uint64_t middle_ns, const ChecksumCounts &period) {
    while (middle_ns / stretch_ns_ >= max_stretches_) {
      stretch_ns_ *= 2;
      for (std::size_t i = 0; i < stretches_.size(); ++i) {
        const ChecksumCounts counts = std::exchange(stretches_[i], {});
        stretches_[i / 2].add(counts);
      }
      stretches_.resize((stretches_.size() + 1) / 2);
    }
    const std::size_t at = middle_ns / stretch_ns_;
    if (stretches_.size() <= at)
      stretches_.resize(at + 1);
    stretches_[at].add(period);
  }

  void write_results(ReportLines &out) const {
    BarTable table;
    table.label_heading = "content";
    table.headings = {"summed", "of all", fmt::format("{}s", unit())};
    for (std::size_t i = 0; i < kChecksumResults; ++i) {
      const std::uint64_t count = sums_.counts[i];
      if (count != 0 || i < 2)
        table.rows.push_back(
            {kWords[i].words,
             {count, percent(count, sums_.all()), distinct_.counts[i]},
             {count, count}});
    }
    out.table(fmt::format("Results: {0}s, summed over periods, and distinct "
                          "{0}s. Each is compared with its last known content.",
                          unit()),
              std::move(table));
  }

  void write_stretches(ReportLines &out) const {
    BarTable table = change_table("from");
    table.right_labels = true;
    for (std::size_t i = 0; i < stretches_.size(); ++i)
      table.rows.push_back(change_row(
          format_since_start(from_ns_ + i * stretch_ns_), stretches_[i]));
    out.table(fmt::format("Over time, in stretches of {}: {}s, summed over "
                          "periods",
                          format_duration(stretch_ns_), unit()),
              std::move(table));
  }

  void write_mappings(ReportLines &out) const {
    BarTable table = change_table("mapping");
    table.noun = "mapping";
    for (const Entry *entry : arranged(busiest()))
      table.rows.push_back(change_row(printable(entry->first), entry->second));
    out.table(fmt::format("By mapping: {}s, summed over periods", unit()),
              std::move(table));
  }

  /// Those with the most rewritten granules first.
  std::vector<const Entry *> busiest() const {
    return largest_first(mappings_, [](const ChecksumCounts &counts) {
      return std::pair(counts.rewritten(), counts.all());
    });
  }

  std::size_t max_stretches_;
  std::size_t table_bytes_;
  ChecksumCounts sums_;
  ChecksumCounts distinct_; ///< granules that had the result at least once
  /// Distinct granules that were rewritten, and never changed by it.
  std::uint64_t never_changed_ = 0;
  std::map<std::string, ChecksumCounts> mappings_;
  std::vector<ChecksumCounts> stretches_; ///< of equal length
  std::uint64_t stretch_ns_ = 0;
  std::uint64_t from_ns_ = 0;
  bool is_lower_bound_ = false;
};

} // namespace

std::unique_ptr<RunReport> make_checksums_report(std::size_t max_stretches,
                                                 std::size_t table_bytes) {
  return std::make_unique<ChecksumsReport>(max_stretches, table_bytes);
}

} // namespace pagetide::tools
