//===- wss_diff.cpp - The working sets of two runs, side by side ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/wss_diff.h"

#include "analysis/largest_first.h"
#include "compare/diff_text.h"
#include "report/report_kinds.h"
#include "support/json.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr WssShare kMedian = {"50 %", "p50", 0.5};

DiffOptions of_whole_runs(DiffOptions options) {
  options.whole = true;
  return options;
}

/// Reads the traces of a run once for each of the two reports.
void read_run(const std::vector<std::string> &traces,
              const Selection &selection, RunReport &sizes,
              RunReport &mappings) {
  std::uint64_t start = UINT64_MAX;
  for (const std::string &path : traces)
    start = std::min(start, TraceReader::open(path).header().monotonic_ns);
  for (const std::string &path : traces)
    for (RunReport *report : {&sizes, &mappings}) {
      SelectedTrace trace(TraceReader::open_with_progress(path), selection,
                          start);
      report->add(trace);
    }
}

/// "+12", "-3", "0".
std::string change_of(std::uint64_t a, std::uint64_t b) {
  if (a == b)
    return "0";
  return (b > a ? "+" : "-") + format_count(b > a ? b - a : a - b);
}

/// "12 %" of `whole`.
std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  const double percent =
      100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 10 ? fmt::format("{:.1f} %", percent)
                      : fmt::format("{:.0f} %", percent);
}

BarRow row_of(const std::string &label, std::uint64_t a, std::uint64_t b) {
  return {label, {a, b, change_of(a, b)}, {std::max(a, b), std::min(a, b)}};
}

/// A table of what both runs have.
BarTable table_of(const char *label) {
  BarTable table;
  table.label_heading = label;
  table.headings = {"A", "B", "change"};
  table.dark_meaning = "the smaller of the two";
  table.light_meaning = "more in the other one";
  return table;
}

} // namespace

WssComparison::WssComparison(const std::vector<std::string> &a,
                             const std::vector<std::string> &b,
                             const DiffOptions &options)
    : pages_(a, b, of_whole_runs(options)) {
  const auto read = [&](const std::vector<std::string> &traces,
                        WssReport &sizes, std::uint64_t Sizes::*side) {
    const std::unique_ptr<RunReport> mappings = make_mappings_report();
    read_run(traces, options.selection, sizes, *mappings);
    for (const ReportRow &row : mappings->rows()) {
      const std::string name = row[0];
      mappings_[name.substr(name.rfind('/') + 1)].*side += number_of(row[1]);
    }
  };
  read(a, a_, &Sizes::a);
  read(b, b_, &Sizes::b);
}

Verdict WssComparison::verdict() const {
  for (const WssShare &share : wss_shares())
    if (size_at(a_.accessed(), share) != size_at(b_.accessed(), share) ||
        size_at(a_.read(), share) != size_at(b_.read(), share) ||
        size_at(a_.written(), share) != size_at(b_.written(), share))
      return Verdict::kDifferent;
  if (a_.distinct() != b_.distinct())
    return Verdict::kDifferent;
  const bool read_all = pages_.a().is_complete() && pages_.b().is_complete() &&
                        !a_.is_lower_bound() && !b_.is_lower_bound();
  return read_all ? Verdict::kEqual : Verdict::kUndecided;
}

void WssComparison::write_answer(ReportLines &out) const {
  const auto words = [&](const char *what, std::uint64_t a, std::uint64_t b) {
    if (a == b)
      return fmt::format("{} {} in both runs", what, bytes(a));
    return fmt::format(
        "{} {} in A and {} in B, {} {}{}", what, bytes(a), bytes(b),
        bytes(b > a ? b - a : a - b), b > a ? "more" : "less",
        a == 0 ? std::string()
               : fmt::format(" ({})", percent_of(b > a ? b - a : a - b, a)));
  };
  out.statement(fmt::format(
      "{}; {}; {}.",
      words("The median period accessed", size_at(a_.accessed(), kMedian),
            size_at(b_.accessed(), kMedian)),
      words("the largest one", a_.accessed().maximum(),
            b_.accessed().maximum()),
      words("all periods together", a_.distinct(), b_.distinct())));
}

void WssComparison::write_sizes(ReportLines &out) const {
  BarTable table = table_of("share");
  table.right_labels = true;
  table.axis_end = [this](std::uint64_t pages) { return bytes(pages); };
  for (const WssShare &share : wss_shares())
    table.rows.push_back(row_of(share.name, size_at(a_.accessed(), share),
                                size_at(b_.accessed(), share)));
  out.table("Sizes of periods, in pages (50 %: half of them are no larger)",
            std::move(table));
}

void WssComparison::write_mappings(ReportLines &out) const {
  BarTable table = table_of("mapping");
  table.axis_end = [this](std::uint64_t pages) { return bytes(pages); };
  table.noun = "mapping";
  const auto by_change = [](const Sizes &sizes) {
    const auto [smaller, larger] = std::minmax(sizes.a, sizes.b);
    return std::pair(larger - smaller, larger);
  };
  for (const auto *entry : largest_first(mappings_, by_change))
    table.rows.push_back(
        row_of(printable(entry->first), entry->second.a, entry->second.b));
  out.table("Distinct pages of each mapping, the largest changes first",
            std::move(table));
}

std::string WssComparison::text(const ReportStyle &style) const {
  ReportLines out(style);
  out.statement("Working sets of two runs: what each period accessed");
  write_runs(out, a_.traces(), b_.traces(), pages_.options().selection.words());
  out.line("");
  write_answer(out);
  out.line("");
  write_sizes(out);
  out.line("");
  write_mappings(out);
  out.line("");
  const Tally &pages = pages_.sum().pages;
  out.statement(fmt::format(
      "Of the distinct pages of paired processes, {} are in both runs, {} "
      "only in A and {} only in B{}.",
      format_count(pages.equal + pages.different + pages.open),
      format_count(pages.only_a), format_count(pages.only_b),
      pages_.options().relative ? ", by mapping and offset"
                                : ", by address (--relative: by mapping "
                                  "and offset)"));
  return out.take();
}

std::string WssComparison::json() const {
  const auto sizes = [&](const Distribution &counts) {
    Json out;
    for (const WssShare &share : wss_shares())
      out[share.key] = size_at(counts, share);
    return out;
  };
  const auto side = [&](const WssReport &run) {
    return Json{
        {"accessed", sizes(run.accessed())},
        {"read", pages_.units().tells_reads() ? sizes(run.read()) : Json()},
        {"written",
         pages_.units().tells_writes ? sizes(run.written()) : Json()},
        {"distinct", run.distinct()},
        {"distinct_is_lower_bound", run.is_lower_bound()},
        {"traces", traces_json(run.traces())}};
  };
  const std::string words = pages_.options().selection.words();
  const Tally &pages = pages_.sum().pages;
  Json out;
  out["pagetide_diff_wss"] = 1;
  out["verdict"] = verdict();
  out["relative"] = pages_.options().relative;
  out["selected"] = words.empty() ? Json() : Json(words);
  out["granule_bytes"] = std::uint64_t{1} << pages_.granule_shift();
  out["a"] = side(a_);
  out["b"] = side(b_);
  out["pages"] = {{"both", pages.equal + pages.different + pages.open},
                  {"only_a", pages.only_a},
                  {"only_b", pages.only_b}};
  out["mappings"] = Json::array();
  for (const auto &[name, both] : mappings_)
    out["mappings"].push_back({{"name", name}, {"a", both.a}, {"b", both.b}});
  return dumped(out) + "\n";
}

} // namespace pagetide::tools
