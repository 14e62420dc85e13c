//===- wss_report.cpp - The working set over time, and its distribution ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/wss_report.h"

#include "analysis/granule_set.h"
#include "analysis/report_limits.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pagetide::tools {

namespace {

/// Of stretches, if the program ends its periods itself.
constexpr std::uint64_t kMinWindowNs = 1'000'000;
constexpr std::uint64_t kLongestPeriod = std::uint64_t{1} << 42;

constexpr WssShare kShares[] = {
    {"least", "p0", 0},    {"10 %", "p10", 0.1},  {"25 %", "p25", 0.25},
    {"50 %", "p50", 0.5},  {"75 %", "p75", 0.75}, {"90 %", "p90", 0.9},
    {"95 %", "p95", 0.95}, {"99 %", "p99", 0.99}, {"most", "max", 1},
};

void add_changes(WssStretch &into, const WssStretch &from) {
  into.known |= from.known;
  into.periods += from.periods;
  into.fresh += from.fresh;
  into.left += from.left;
}

/// How many granules two sorted lists have in common.
std::uint64_t common(const std::vector<GranuleRun> &a,
                     const std::vector<GranuleRun> &b) {
  std::uint64_t count = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t first = std::max<std::uint64_t>(a[i].first, b[j].first);
    const std::uint64_t end = std::min(a[i].end(), b[j].end());
    count += end > first ? end - first : 0;
    if (a[i].end() == end)
      ++i;
    else
      ++j;
  }
  return count;
}

/// The periods of one process.
class WssReader {
public:
  explicit WssReader(std::size_t set_bytes) : budget_(set_bytes) {}

  /// Adds a part. True if it is the period's last; period() then holds.
  bool add(const PeriodPart &part) {
    if (part.first) {
      period_ = {};
      runs_.clear();
      distinct_before_ = distinct_.count();
    }
    for (const GranuleRun &run : union_of_sections(part, union_scratch_)) {
      period_.counts.add(run);
      if (!AccessKinds(run.flags).accessed)
        continue;
      append_run(runs_, run.first, run.count, 0);
      distinct_.insert(run.first, run.end());
    }
    if (!part.last)
      return false;
    period_.periods = 1;
    period_.known = true;
    may_ += period_.counts.may;
    period_.fresh = distinct_.count() - distinct_before_;
    period_.left = size_before_ - common(runs_, runs_before_);
    size_before_ = period_.counts.accessed;
    std::swap(runs_, runs_before_);
    return true;
  }

  const WssStretch &period() const { return period_; }
  const GranuleSet &distinct() const { return distinct_; }
  std::uint64_t may() const { return may_; }
  /// What the last period accessed.
  std::span<const GranuleRun> accessed() const { return runs_before_; }

private:
  MemoryBudget budget_;
  GranuleSet distinct_{budget_};
  WssStretch period_;
  std::uint64_t may_ = 0;
  std::uint64_t distinct_before_ = 0;
  std::uint64_t size_before_ = 0;
  std::vector<GranuleRun> runs_;
  std::vector<GranuleRun> runs_before_;
  std::vector<GranuleRun> union_scratch_;
};

Json shares_of(const Distribution &counts) {
  Json out;
  for (const WssShare &share : kShares)
    out[share.key] = size_at(counts, share);
  return out;
}

} // namespace

std::span<const WssShare> wss_shares() { return kShares; }

std::uint64_t size_at(const Distribution &counts, const WssShare &share) {
  return share.share == 1 ? counts.maximum() : counts.percentile(share.share);
}

WssTimeline::WssTimeline(std::uint64_t length_ns, std::size_t max_stretches)
    : length_ns_(length_ns == 0 ? kMinWindowNs
                                : std::min(length_ns, kLongestPeriod)),
      max_stretches_(std::max<std::size_t>(max_stretches, 2)) {}

void WssTimeline::double_length() {
  length_ns_ *= 2;
  std::vector<WssStretch> halves = std::move(stretches_);
  stretches_.assign((halves.size() + 1) / 2, {});
  for (std::size_t i = 0; i < halves.size(); ++i) {
    stretches_[i / 2].counts.take_largest(halves[i].counts);
    add_changes(stretches_[i / 2], halves[i]);
  }
}

std::size_t WssTimeline::stretch_at(std::uint64_t time_ns) {
  while (time_ns / length_ns_ >= max_stretches_)
    double_length();
  const auto at = static_cast<std::size_t>(time_ns / length_ns_);
  if (stretches_.size() <= at)
    stretches_.resize(at + 1);
  return at;
}

void WssTimeline::add_period(std::uint64_t start_ns, std::uint64_t end_ns,
                             const WssStretch &period) {
  const std::uint64_t start = std::min(start_ns, kMaxTime);
  const std::uint64_t end = std::clamp(end_ns, start, kMaxTime);
  if (end - start > length_ns_)
    stretch_at(end - 1);
  const std::size_t middle = stretch_at(start + (end - start) / 2);
  stretches_[middle].counts.take_largest(period.counts);
  add_changes(stretches_[middle], period);
  if (end - start <= length_ns_)
    return;
  for (std::size_t i = start / length_ns_; i < stretches_.size(); ++i) {
    const std::uint64_t of_stretch = i * length_ns_ + length_ns_ / 2;
    if (start <= of_stretch && of_stretch < end) {
      stretches_[i].known = true;
      stretches_[i].counts.take_largest(period.counts);
    }
  }
}

void WssTimeline::add_process(WssTimeline process) {
  while (length_ns_ < process.length_ns_)
    double_length();
  while (process.length_ns_ < length_ns_)
    process.double_length();
  if (stretches_.size() < process.stretches_.size())
    stretches_.resize(process.stretches_.size());
  for (std::size_t i = 0; i < process.stretches_.size(); ++i) {
    const WssStretch &added = process.stretches_[i];
    stretches_[i].counts.add(added.counts);
    add_changes(stretches_[i], added);
  }
}

class WssReport::Taker : public TraceTaker {
public:
  /// All processes have the same stretches, so that they can be added.
  Taker(WssReport &report, SelectedTrace &trace)
      : report_(report), trace_(trace),
        timeline_(report.shortest_ns_, report.max_rows_) {
    trace.watch_frames([this](const Frame &frame) { estimate_.see(frame); });
  }

  void take(const PeriodPart &part) override {
    if (!reader_.add(part))
      return;
    const WssStretch &period = reader_.period();
    estimate_.add_period({part.index, part.start_ns, part.end_ns},
                         reader_.accessed());
    report_.accessed_.add(period.counts.accessed);
    report_.read_.add(period.counts.read);
    report_.written_.add(period.counts.written);
    timeline_.add_period(since_from(part.start_ns), since_from(part.end_ns),
                         period);
  }

  void finish() override {
    report_.timeline_->add_process(std::move(timeline_));
    report_.distinct_ += reader_.distinct().count();
    report_.is_lower_bound_ |= reader_.distinct().is_lower_bound();
    report_.may_ += reader_.may();
    estimate_.finish();
    // Windows of several processes are at different times.
    report_.estimate_.reset();
    if (++report_.processes_ == 1 && trace_.off_ns() != 0)
      report_.estimate_.emplace(std::move(estimate_));
  }

private:
  std::uint64_t since_from(std::uint64_t time) const {
    return std::max(trace_.since_start(time), report_.from_ns_) -
           report_.from_ns_;
  }

  WssReport &report_;
  SelectedTrace &trace_;
  WssTimeline timeline_;
  WssReader reader_{kSetBytes};
  WindowEstimate estimate_;
};

std::unique_ptr<TraceTaker> WssReport::start(SelectedTrace &trace) {
  from_ns_ = trace.selection().from_ns;
  if (!timeline_) {
    shortest_ns_ = trace.header().period_ns;
    timeline_.emplace(shortest_ns_, max_rows_);
  }
  return std::make_unique<Taker>(*this, trace);
}

std::string WssReport::title() const {
  return fmt::format("Working set: the {} that each period {}", units(),
                     access_verb());
}

std::uint64_t WssReport::start_of(std::size_t stretch) const {
  return from_ns_ + stretch * timeline_->length_ns();
}

std::span<const ReportColumn> WssReport::columns() const {
  static constexpr ReportColumn kColumns[] = {
      {"start_ns", true}, {"periods"}, {"accessed"}, {"read"},
      {"written"},        {"new"},     {"left"},     {"all"}};
  return kColumns;
}

std::vector<ReportRow> WssReport::rows() const {
  std::vector<ReportRow> rows;
  std::uint64_t all = 0;
  for (const WssStretch &stretch : timeline_->stretches()) {
    all += stretch.fresh;
    const bool tells = stretch.known && tells_reads();
    rows.push_back({start_of(rows.size()), stretch.periods,
                    json_if(stretch.known, stretch.counts.accessed),
                    json_if(tells, stretch.counts.read),
                    json_if(tells, stretch.counts.written), stretch.fresh,
                    stretch.left, all});
  }
  return rows;
}

void WssReport::write_shares(ReportLines &out) const {
  BarTable table = bar_table("share", {access_word(), "read", "written"});
  table.right_labels = true;
  table.dark_meaning = access_word();
  table.light_meaning.clear();
  for (const WssShare &share : kShares) {
    const std::uint64_t accessed = size_at(accessed_, share);
    table.rows.push_back({share.name,
                          {accessed, if_told(size_at(read_, share)),
                           if_told(size_at(written_, share))},
                          {accessed, accessed}});
  }
  out.table(
      fmt::format("Sizes of {}, in {}s (50 %: half of them are no larger)",
                  traces().size() == 1 ? "periods" : "each process's periods",
                  unit()),
      std::move(table));
}

void WssReport::write_sizes(ReportLines &out) const {
  BarTable table = bar_table("from", {access_word(), "read", "written"});
  table.right_labels = true;
  if (tells_reads())
    table.light_meaning = "read and not written";
  else
    table.dark_meaning.clear();
  for (const WssStretch &stretch : timeline_->stretches()) {
    const bool tells = stretch.known && tells_reads();
    table.rows.push_back(
        {format_since_start(start_of(table.rows.size())),
         {json_if(stretch.known, stretch.counts.accessed),
          json_if(tells, stretch.counts.read),
          json_if(tells, stretch.counts.written)},
         bar(stretch.counts.accessed, stretch.counts.written)});
  }
  table.rows = arranged(std::move(table.rows));
  const std::string what = traces().size() == 1
                               ? "the largest period in each"
                               : "the largest period of each process, added up";
  out.table(fmt::format("Over time, in stretches of {}: {}s of {}",
                        format_duration(timeline_->length_ns()), unit(), what),
            std::move(table));
}

void WssReport::write_changes(ReportLines &out) const {
  BarTable table = bar_table("from", {"periods", "new", "left", "all so far"});
  table.right_labels = true;
  table.dark_meaning = "earlier";
  table.light_meaning = "new";
  std::uint64_t all = 0;
  for (const WssStretch &stretch : timeline_->stretches()) {
    const std::uint64_t before = all;
    all += stretch.fresh;
    table.rows.push_back({format_since_start(start_of(table.rows.size())),
                          {stretch.periods, stretch.fresh, stretch.left, all},
                          {all, before}});
  }
  table.rows = arranged(std::move(table.rows));
  out.table(
      fmt::format("Changes, summed over the periods of a stretch. New: no "
                  "earlier period {1} the {0}. Left: the period before {1} it, "
                  "and this one did not.",
                  unit(), access_verb()),
      std::move(table));
}

void WssReport::write_estimate(ReportLines &out) const {
  if (!estimate_)
    return;
  const WindowEstimate &windows = *estimate_;
  std::string text = fmt::format(
      "Marks were on in {} window{}; {} of them were exact for all threads",
      format_count(windows.windows()), plural(windows.windows()),
      format_count(windows.whole()));
  if (windows.whole() >= 2)
    text += fmt::format(
        ", from some moment on and for {} on average. The program {} {} {}s in "
        "such a time: {} to {} at 95 % confidence",
        format_duration(windows.mean_ns()), access_verb(),
        format_count(std::llround(windows.sizes().mean())), unit(),
        format_count(std::llround(windows.sizes().low())),
        format_count(std::llround(windows.sizes().high())));
  out.statement(text + ".");
  out.line("");
}

void WssReport::write_rest(ReportLines &out) const {
  out.statement(fmt::format(
      "In all {}{} distinct {}s, {}.{}", is_lower_bound_ ? "at least " : "",
      format_count(distinct_), unit(), bytes(distinct_),
      may_ == 0 ? std::string()
                : fmt::format(" Not in the figures: {} accesses of {}s that "
                              "are possible and not certain.",
                              format_count(may_), unit())));
}

void WssReport::write_text(ReportLines &out) const {
  if (accessed_.maximum() == 0) {
    out.line("Nothing was {} in {} period{}.", access_word(),
             format_count(accessed_.samples()), plural(accessed_.samples()));
    return;
  }
  write_shares(out);
  out.line("");
  write_sizes(out);
  out.line("");
  write_changes(out);
  out.line("");
  write_estimate(out);
  write_rest(out);
}

void WssReport::write_json(Json &out) const {
  out["sizes"] = {{"accessed", shares_of(accessed_)},
                  {"read", tells_reads() ? shares_of(read_) : Json()},
                  {"written", tells_reads() ? shares_of(written_) : Json()}};
  out["distinct"] = distinct_;
  out["distinct_is_lower_bound"] = is_lower_bound_;
  out["may"] = may_;
  out["estimate"] = estimate_ ? estimate_->json() : Json();
  out["stretch_ns"] = timeline_ ? timeline_->length_ns() : 0;
  out["stretches"] = list(SIZE_MAX);
}

} // namespace pagetide::tools
