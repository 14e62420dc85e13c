//===- diff_text.cpp - Where two runs differ, for people ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/diff_text.h"

#include "analysis/largest_first.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::size_t kIndent = 2;
/// In narrower tables there is no column for them.
constexpr std::size_t kRoomForTimes = 80;

const char *access_words(unsigned flags) {
  switch (flags & (trace::kRunRead | trace::kRunWritten)) {
  case trace::kRunRead:
    return "read";
  case trace::kRunWritten:
    return "written";
  case trace::kRunRead | trace::kRunWritten:
    return "read and written";
  default:
    return flags ? "accessed" : "perhaps accessed";
  }
}

class DiffText {
public:
  DiffText(const RunComparison &comparison, const ReportStyle &style)
      : comparison_(comparison), out_(style), unit_(comparison.units().unit()) {
  }

  std::string run() {
    head();
    out_.line("");
    answer();
    out_.line("");
    totals();
    mappings();
    differences();
    for (const std::string &remark : diff_remarks(comparison_)) {
      out_.line("");
      out_.statement(remark);
    }
    return out_.take();
  }

private:
  void head() {
    out_.statement(fmt::format(
        "Comparison of two runs: {}s of {}, {}{}", unit_,
        comparison_.units().bytes(),
        comparison_.by_periods() ? "period by period" : "whole runs",
        comparison_.options().relative ? ", aligned by mapping and offset"
                                       : ""));
    write_runs(out_, comparison_.a().traces, comparison_.b().traces,
               comparison_.options().selection.words());
  }

  void answer() {
    switch (comparison_.verdict()) {
    case Verdict::kEqual:
      out_.statement("EQUAL.");
      return;
    case Verdict::kUndecided:
      out_.statement("EQUAL AS FAR AS BOTH GO: no difference was found, and "
                     "not everything could be compared.");
      return;
    case Verdict::kDifferent:
      break;
    }
    std::string text = "DIFFERENT.";
    if (!comparison_.differences().empty())
      text += " " + first_difference();
    out_.statement(text);
  }

  void totals() {
    const ComparedFigures &sum = comparison_.sum();
    BarTable table;
    table.has_bars = false;
    table.label_heading = "compared";
    table.headings = {"equal", "different", "only A", "only B", "open"};
    const auto add = [&](const std::string &label, const Tally &tally) {
      table.rows.push_back({label,
                            {tally.equal, tally.different, tally.only_a,
                             tally.only_b, tally.open},
                            {}});
    };
    add("processes", comparison_.processes());
    if (comparison_.by_periods()) {
      add("periods", sum.periods);
      add(fmt::format("  accessed {}s in them", unit_), sum.accesses);
      add("  checksums in them", sum.checksums);
    }
    add(fmt::format("distinct {}s of the runs", unit_), sum.pages);
    add("  last checksums", sum.final_checksums);
    out_.append(draw_bars(std::move(table), out_.style()));
  }

  void mappings() {
    if (comparison_.mappings().empty())
      return;
    BarTable table;
    table.label_heading = "mapping";
    table.headings = {"only A", "only B", "access", "contents"};
    table.dark_meaning = "contents";
    table.light_meaning = "accesses";
    table.noun = "mapping";
    for (const auto *entry :
         largest_first(comparison_.mappings(),
                       [](const auto &mapping) { return mapping.sum(); })) {
      const auto &[name, mapping] = *entry;
      table.rows.push_back(
          {printable(name) + (mapping.ignored ? " (ignored)" : ""),
           {mapping.only_a, mapping.only_b, mapping.accesses,
            mapping.checksums},
           {mapping.sum(), mapping.checksums}});
    }
    out_.line("");
    out_.table(
        fmt::format("Differing {}s of each mapping{}", unit_,
                    comparison_.by_periods() ? ", summed over periods" : ""),
        std::move(table));
  }

  void differences() {
    const std::vector<Difference> &list = comparison_.differences();
    if (list.size() < 2)
      return;
    const bool by_periods = comparison_.by_periods();
    const bool has_times = by_periods && out_.style().width >= kRoomForTimes;
    const bool has_processes = comparison_.pairs().size() > 1;
    BarTable table;
    table.has_bars = false;
    table.label_heading = "place";
    table.headings = {
        "period", "from", "process", "address", fmt::format("{}s", unit_),
        "differs"};
    const auto if_has = [](bool has, std::string text) {
      return has ? Json(std::move(text)) : Json();
    };
    for (const Difference &difference : list) {
      const ProcessPair &pair = comparison_.pairs()[difference.pair];
      const RunReport::Trace &trace = pair.a ? comparison_.a().traces[*pair.a]
                                             : comparison_.b().traces[*pair.b];
      const bool is_process = difference.kind == DifferenceKind::kProcess;
      const bool has_page = difference.granules != 0;
      const std::uint64_t granule =
          difference.in_a ? difference.granule_a : difference.granule_b;
      table.rows.push_back(
          {is_process                                   ? "whole process"
           : difference.kind == DifferenceKind::kPeriod ? "whole period"
                                                        : difference.mapping,
           {json_if(by_periods && !is_process, difference.period),
            if_has(has_times, format_since_start(difference.start_ns)),
            if_has(has_processes, fmt::format("{}", trace.pid)),
            if_has(has_page, fmt::format("{:#x}", address(granule))),
            json_if(has_page, difference.granules), what_differs(difference)},
           {}});
    }
    out_.line("");
    out_.table("The first differences", std::move(table));
  }

  std::string first_difference() const {
    const Difference &first = comparison_.differences().front();
    const std::string where = process_words(first.pair);
    const char *present = first.in_a ? "A" : "B";
    const char *absent = first.in_a ? "B" : "A";
    if (first.kind == DifferenceKind::kProcess)
      return fmt::format("Only {} has {}.", present, where);
    const std::string begin = "The first difference is";
    const std::string when =
        comparison_.by_periods()
            ? fmt::format("{} in period {}, {} after the run's start, in {}",
                          begin, first.period,
                          format_since_start(first.start_ns), where)
            : fmt::format("{} in {}", begin, where);
    if (first.kind == DifferenceKind::kPeriod)
      return fmt::format("{}: {} lacks this period.", when, absent);
    std::string page =
        fmt::format("{} {:#x}", unit_,
                    address(first.in_a ? first.granule_a : first.granule_b));
    if (first.in_a && first.in_b && first.granule_a != first.granule_b)
      page = fmt::format("{} {:#x} of A, {:#x} of B", unit_,
                         address(first.granule_a), address(first.granule_b));
    page += fmt::format(" ({})", first.mapping);
    if (first.thread != 0)
      page += fmt::format(", thread {}", first.thread);
    if (first.kind == DifferenceKind::kChecksum)
      return fmt::format("{}: {}: the contents differ, checksum {:#018x} in A "
                         "and {:#018x} in B.",
                         when, page, first.hash_a, first.hash_b);
    if (first.kind == DifferenceKind::kAccess)
      return fmt::format("{}: {}: {} in A, {} in B.", when, page,
                         access_words(first.flags_a),
                         access_words(first.flags_b));
    return fmt::format("{}: {}: {} in {}, not accessed in {}.", when, page,
                       access_words(first.flags_a | first.flags_b), present,
                       absent);
  }

  /// "./prog x (A: process 1, B: process 2)".
  std::string process_words(std::size_t pair) const {
    const ProcessPair &both = comparison_.pairs()[pair];
    const RunReport::Trace *a =
        both.a ? &comparison_.a().traces[*both.a] : nullptr;
    const RunReport::Trace *b =
        both.b ? &comparison_.b().traces[*both.b] : nullptr;
    const std::string label =
        shortened(process_label(a ? *a : *b), out_.style().width / 2);
    if (!a || !b)
      return fmt::format("{} ({}: process {})", label, a ? "A" : "B",
                         a ? a->pid : b->pid);
    return fmt::format("{} (A: process {}, B: process {})", label, a->pid,
                       b->pid);
  }

  std::string what_differs(const Difference &difference) const {
    switch (difference.kind) {
    case DifferenceKind::kChecksum:
      return "contents";
    case DifferenceKind::kAccess:
      return "access";
    case DifferenceKind::kPage:
    case DifferenceKind::kPeriod:
    case DifferenceKind::kProcess:
      break;
    }
    return difference.in_a ? "only A" : "only B";
  }

  std::uint64_t address(std::uint64_t granule) const {
    return granule << comparison_.granule_shift();
  }

  const RunComparison &comparison_;
  ReportLines out_;
  const char *unit_;
};

} // namespace

void write_runs(ReportLines &out, std::span<const RunReport::Trace> a,
                std::span<const RunReport::Trace> b, const std::string &words) {
  const std::size_t width = out.style().width;
  for (const auto &[name, traces] : {std::pair("A", a), std::pair("B", b)}) {
    out.labelled(fmt::format("{:{}}{}: ", "", kIndent, name),
                 describe_run(traces), width);
    for (const std::string &loss : describe_losses(traces))
      out.paragraph(kIndent + 3, loss, width);
  }
  if (!words.empty())
    out.remark(fmt::format("Selected: {}", words));
}

std::vector<std::string> diff_remarks(const RunComparison &comparison) {
  std::vector<std::string> remarks;
  const ComparedFigures &sum = comparison.sum();
  const ComparedRun &a = comparison.a();
  const ComparedRun &b = comparison.b();
  const bool differ = comparison.verdict() == Verdict::kDifferent;
  if (comparison.lengths_differ() && !comparison.options().whole)
    remarks.push_back(
        fmt::format("The periods of A last {}, and those of B {}. So only the "
                    "whole runs were compared.",
                    format_since_start(a.traces.front().period_ns),
                    format_since_start(b.traces.front().period_ns)));
  const std::uint64_t timed = std::max(a.clock_periods, b.clock_periods);
  if (comparison.by_periods() && timed != 0 && differ)
    remarks.push_back(
        "Periods were ended by the clock. Two runs are never equally fast, so "
        "their periods need not have the same accesses. --whole compares what "
        "the runs accessed in all, and the last checksum of each page. Periods "
        "that the program ends itself can be equal (record -p 0).");
  if (!a.has_checksums || !b.has_checksums)
    remarks.push_back(fmt::format(
        "Contents were not compared: {} no checksums. Record with --checksum "
        "written.",
        a.has_checksums   ? "B has"
        : b.has_checksums ? "A has"
                          : "the runs have"));
  const bool is_fixed = a.has_fixed_addresses && b.has_fixed_addresses;
  if (differ && !comparison.options().relative && !is_fixed)
    remarks.push_back("Addresses were randomised, as far as the traces tell. "
                      "Record both runs with --no-aslr, or align pages by "
                      "mapping and offset with --relative.");
  const std::uint64_t contents = comparison.by_periods()
                                     ? sum.checksums.different
                                     : sum.final_checksums.different;
  if (contents != 0 && comparison.options().relative && !is_fixed &&
      !sum.shifts_are_known)
    remarks.push_back("A page that holds an address differs if the mapping "
                      "that the address points to has moved. These checksums "
                      "cannot tell that from other differences. Record both "
                      "runs with --checksum-relative, or with --no-aslr.");
  const std::uint64_t shifted =
      comparison.by_periods() ? sum.shifted : sum.final_shifted;
  if (shifted != 0)
    remarks.push_back(fmt::format(
        "Equal up to shift: {} checksum{} of pages with addresses, which moved "
        "with their mappings, or with random words of the kernel. They count "
        "as equal.",
        format_count(shifted), plural(shifted)));
  const auto has_contents = [&](const char *mapping) {
    const auto found = comparison.mappings().find(mapping);
    return found != comparison.mappings().end() &&
           found->second.checksums != 0 && !found->second.ignored;
  };
  if (has_contents("[stack]"))
    remarks.push_back("Pages of a stack can hold its canary, the kernel's "
                      "random bytes (AT_RANDOM) and process numbers, which "
                      "differ in each run. --ignore '[stack]' leaves them out "
                      "of the answer.");
  if (has_contents("[heap]"))
    remarks.push_back("glibc's malloc writes a random number into blocks that "
                      "were freed, unless both runs are recorded with "
                      "GLIBC_TUNABLES=glibc.malloc.tcache_count=0.");
  if (sum.ignored != 0)
    remarks.push_back(
        fmt::format("Not counted: {} difference{} in ignored mappings.",
                    format_count(sum.ignored), plural(sum.ignored)));
  if (sum.unplaced != 0)
    remarks.push_back(fmt::format(
        "Not compared: {} access{} of pages in mappings that the traces did "
        "not list. Record with PAGETIDE_OPTIONS=mappings=1ms, or with "
        "--no-aslr and compare without --relative.",
        format_count(sum.unplaced), sum.unplaced == 1 ? "" : "es"));
  if (sum.cut_periods != 0)
    remarks.push_back(fmt::format(
        "Not compared: parts of {} period{} that were too large for memory.",
        format_count(sum.cut_periods), plural(sum.cut_periods)));
  if (sum.pages_left_out)
    remarks.push_back("The runs have more distinct pages than there is memory "
                      "for; their counts are lower bounds.");
  const std::uint64_t gone =
      comparison.by_periods() ? sum.gone : sum.final_gone;
  if (gone != 0)
    remarks.push_back(fmt::format(
        "Without contents: {} checksum{} of what both runs had unmapped before "
        "it could be read. They count as neither equal nor different.",
        format_count(gone), plural(gone)));
  const std::uint64_t open =
      comparison.by_periods()
          ? sum.periods.open + sum.accesses.open + sum.checksums.open
          : sum.pages.open + sum.final_checksums.open;
  if (open != 0)
    remarks.push_back("Open: a run has lost the period, an access is only "
                      "possible in one run, or a page has no stable checksum "
                      "in one run.");
  return remarks;
}

std::string diff_text(const RunComparison &comparison,
                      const ReportStyle &style) {
  return DiffText(comparison, style).run();
}

} // namespace pagetide::tools
