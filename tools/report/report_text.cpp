//===- report_text.cpp - A summary for people -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_text.h"

#include "support/option_text.h"
#include "support/text_format.h"
#include "support/text_wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pagetide::tools {

namespace {

constexpr std::size_t kTextIndent = 2;
constexpr std::size_t kFactIndent = 13;
constexpr std::size_t kCommandLines = 4;
constexpr std::size_t kWide = 80; ///< below it, columns are narrow
constexpr std::size_t kWideNumber = 12;
constexpr std::size_t kNarrowNumber = 10;

class TextReport : TextLines {
public:
  TextReport(const Summary &summary, const ReportStyle &style)
      : summary_(summary), style_(style), layout_(summary.geometry().layout),
        unit_(summary.granule_bytes() == summary.header.page_bytes
                  ? "page"
                  : "granule") {}

  std::string run();

private:
  /// Of a column, a blank included.
  std::size_t number_width() const {
    return style_.width < kWide ? kNarrowNumber : kWideNumber;
  }
  /// Of the first column, if what it names is short.
  std::size_t label_width() const { return style_.width < kWide ? 18 : 20; }
  std::string count_cell(std::uint64_t count,
                         bool is_lower_bound = false) const {
    return fmt::format(" {:>{}}",
                       (is_lower_bound ? ">=" : "") + format_count(count),
                       number_width() - 1);
  }
  std::string heading_cell(const char *text) const {
    return fmt::format("{:>{}}", text, number_width());
  }
  /// The headings of a table. The title has a line of its own if it is too long
  /// for the first column.
  void table_headings(const std::string &title, std::size_t title_width,
                      const std::string &cells) {
    const bool fits = columns_of(title) <= title_width;
    if (!fits)
      append("  " + wrapped(title, kTextIndent, style_.width));
    line("  {:<{}}{}", fits ? title : "", title_width, cells);
  }
  void fact(const char *label, const std::string &text) {
    line("  {:<10} {}", label, text);
  }
  /// A fact of several words, wrapped at the report's width.
  void long_fact(const char *label, const std::string &text) {
    labelled(fmt::format("  {:<10} ", label), text, style_.width);
  }
  std::string bytes(double granules) const {
    return format_bytes(granules *
                        static_cast<double>(summary_.granule_bytes()));
  }
  bool tells_reads() const {
    return abi::records_reads(layout_) && abi::tells_writes(layout_);
  }
  /// Heading of the column that every layout has.
  const char *access_heading() const {
    return abi::records_reads(layout_) ? "accessed" : "written";
  }
  bool tells_writes() const { return abi::tells_writes(layout_); }
  /// Heading and cells of a column that is there if anything is not certain.
  std::string may_heading() const {
    return summary_.may.sum == 0 ? "" : heading_cell("may");
  }
  std::string may_cell(std::uint64_t count) const {
    return summary_.may.sum == 0 ? "" : count_cell(count);
  }

  bool is_by_marks() const {
    if (summary_.process)
      return engine_text(summary_.process->engine).empty();
    // A damaged frame may have named another engine.
    return summary_.completeness.damage_count() == 0;
  }

  void facts();
  std::string options_text() const;
  std::string periods_text() const;
  void figures();
  void certainty();
  void curve();
  void mappings();
  void threads();
  void checksums();
  void cuts();
  void notes();

  const Summary &summary_;
  const ReportStyle &style_;
  abi::Layout layout_;
  const char *unit_;
};

/// The options without what `pagetide record` set for itself, and without what
/// other lines of the report say.
std::string TextReport::options_text() const {
  static constexpr std::string_view kHidden[] = {
      "trace_path", "control",  "run_id",   "period",       "engine",
      "per_thread", "checksum", "unstable", "kernel_writes"};
  std::string text;
  for (const OptionText &option : split_options(summary_.process->options))
    if (std::find(std::begin(kHidden), std::end(kHidden), option.name) ==
        std::end(kHidden))
      text += (text.empty() ? "" : " ") + printable(option.written);
  return text;
}

std::string TextReport::periods_text() const {
  const Summary &s = summary_;
  std::string text = format_count(s.periods);
  if (s.header.period_ns != 0)
    text += fmt::format(" of {}", format_duration(s.header.period_ns));
  if (s.driven_periods != 0)
    text += fmt::format("; {} ended by the program",
                        format_count(s.driven_periods));
  if (s.off_periods != 0)
    text += fmt::format("; {} between windows, {} with marks off",
                        format_count(s.off_periods), format_duration(s.off_ns));
  if (s.final_periods != 0)
    text += "; the last cut short by the recording's end";
  if (s.harvested_periods != 0)
    text += fmt::format("; {} harvested whole", s.harvested_periods);
  if (s.partial_periods != 0)
    text += "; the last partial, harvested after the process's death";
  if (const std::uint64_t missing = s.completeness.missing_count())
    text += fmt::format("; {} MISSING", format_count(missing));
  text += s.overruns == 0
              ? std::string("; no overruns")
              : fmt::format("; {} overrun{}", format_count(s.overruns),
                            plural(s.overruns));
  return text;
}

void TextReport::facts() {
  const Summary &s = summary_;
  const bool is_complete = s.completeness.is_complete();
  append(wrapped(fmt::format("{} ({}, {})", printable(s.path),
                             format_bytes(static_cast<double>(s.file_bytes)),
                             is_complete ? "complete" : "INCOMPLETE"),
                 kTextIndent, style_.width));
  if (!is_complete)
    paragraph(kTextIndent, s.completeness.sentence(), style_.width);
  line("");
  if (s.process) {
    long_fact("Program", printable(s.process->executable));
    long_fact("Command",
              shortened(format_command_briefly(s.process->arguments),
                        kCommandLines * (style_.width - kFactIndent)));
    if (const std::string text = options_text(); !text.empty())
      long_fact("Options", text);
  }
  fact("Process",
       fmt::format("{} (parent {})", s.header.pid, s.header.parent_pid));
  fact("Recorded",
       fmt::format("{}, for {}", format_realtime(s.header.realtime_ns),
                   format_duration(s.duration_ns)));
  long_fact("Settings",
            fmt::format("layout {}{}, granule {}, per {}{}",
                        abi::kLayoutNames[s.header.layout],
                        is_by_marks() ? fmt::format(", precision {}",
                                                    precision_name(s.header))
                                      : "",
                        format_bytes(static_cast<double>(s.granule_bytes())),
                        s.per_thread() ? "thread" : "process",
                        s.header.flags & trace::kHeaderSkipsConstants
                            ? ", constants left out"
                            : ""));
  if (s.header.flags & trace::kHeaderMarksLate)
    long_fact(
        "Incomplete",
        s.exact_in_windows == 0
            ? std::string("marks were switched on while the program ran; "
                          "functions that were running then have none, so any "
                          "period may lack accesses")
            : fmt::format("marks were switched on while the program ran. The "
                          "trace says of {} threads since when they are exact; "
                          "before that, accesses may be missing",
                          format_count(s.exact_in_windows)));
  if (s.process)
    if (const std::string text = engine_text(s.process->engine); !text.empty())
      long_fact("Engine", text);
  long_fact("Periods", periods_text());
  if (s.end)
    fact("End", end_reason_name(*s.end));
}

void TextReport::figures() {
  std::string unit = unit_;
  unit[0] = static_cast<char>(unit[0] - 'a' + 'A');
  line("");
  append(
      "  " +
      wrapped(fmt::format(
                  "{}s of {} in a period, and distinct ones in all periods",
                  unit,
                  format_bytes(static_cast<double>(summary_.granule_bytes()))),
              kTextIndent, style_.width));
  // Narrow terminals have no room for the bytes.
  const bool has_bytes = style_.width >= kWide;
  line("  {:<{}}{}{}{}{}", "", label_width(), heading_cell("median"),
       heading_cell("95 %"), heading_cell("maximum"), heading_cell("distinct"));
  const auto row = [&](const char *label, const Figures &figures) {
    line("  {:<{}}{}{}{}{}{}", label, label_width(), count_cell(figures.median),
         count_cell(figures.p95), count_cell(figures.maximum),
         count_cell(figures.distinct, figures.distinct_is_lower_bound),
         has_bytes ? "  " + bytes(static_cast<double>(figures.distinct)) : "");
  };
  row(access_heading(), summary_.accessed);
  if (tells_reads())
    row("read", summary_.read);
  if (tells_reads())
    row("written", summary_.written);
  if (summary_.unmarked.sum != 0)
    row("written, no mark", summary_.unmarked);
  if (summary_.carried.sum != 0)
    row("carried over only", summary_.carried);
  if (summary_.may.sum != 0)
    row("may, not certain", summary_.may);
  if (tells_reads() && summary_.may_read.sum != 0)
    row("  may be read", summary_.may_read);
  if (tells_reads() && summary_.may_written.sum != 0)
    row("  may be written", summary_.may_written);
  certainty();
}

/// How much of what is listed is only possible, and why.
void TextReport::certainty() {
  const Summary &s = summary_;
  if (s.may.sum == 0)
    return;
  const double share =
      100 * static_cast<double>(s.may.sum) / static_cast<double>(s.entries());
  std::string why = "Calls that failed part of the way, or do not say what "
                    "they touched, may have accessed them.";
  if (!is_by_marks() && s.process)
    why = fmt::format("Engine {} cannot tell whether they were written.",
                      printable(s.process->engine));
  else if (is_near(s.header))
    why = fmt::format("Precision near does not always tell which of two "
                      "neighbouring {}s was accessed. ",
                      unit_) +
          why;
  line("");
  long_fact("May", fmt::format("{} of {} {}s listed, summed over periods, or "
                               "{:.3f}%. {} The others are certain.",
                               format_count(s.may.sum),
                               format_count(s.entries()), unit_, share, why));
}

void TextReport::curve() {
  if (summary_.curve.empty() || summary_.accessed.maximum == 0)
    return;
  line("");
  append(
      "  " +
      wrapped(fmt::format(
                  "Working set: what each period {}, the largest in each "
                  "column{}",
                  abi::records_reads(layout_) ? "accessed" : "wrote",
                  summary_.off_periods != 0 ? " (no line below: marks were off)"
                                            : ""),
              kTextIndent, style_.width));
  CurveStyle style;
  style.width = style_.width;
  style.unicode = style_.unicode;
  const auto label = [](double value, const void *context) {
    return static_cast<const TextReport *>(context)->bytes(value);
  };
  append(draw_curve(summary_.curve, style, label, this));
}

void TextReport::mappings() {
  if (summary_.mappings.empty())
    return;
  const std::size_t shown = std::min(style_.top, summary_.mappings.size());
  // No wider than what is in it: figures stay near their names.
  std::size_t name_width = label_width();
  for (std::size_t i = 0; i < shown; ++i)
    name_width =
        std::max(name_width, columns_of(printable(summary_.mappings[i].name)));
  name_width = std::min(name_width, style_.width - 2 - 3 * number_width() - 2 -
                                        may_heading().size());
  line("");
  table_headings(
      fmt::format(
          "Busiest mappings: {}s summed over periods, and distinct ones",
          unit_),
      name_width,
      heading_cell(access_heading()) +
          heading_cell(tells_reads() ? "written" : "") +
          heading_cell("distinct") + may_heading());
  for (std::size_t i = 0; i < shown; ++i) {
    const MappingSummary &mapping = summary_.mappings[i];
    line("  {}{}{}{}{}", fitted(printable(mapping.name), name_width),
         count_cell(mapping.counts.accessed),
         tells_reads() ? count_cell(mapping.counts.written)
                       : std::string(number_width(), ' '),
         count_cell(mapping.distinct, mapping.distinct_is_lower_bound),
         may_cell(mapping.counts.may));
  }
  if (summary_.mappings.size() > shown)
    line("  and {} more", format_count(summary_.mappings.size() - shown));
}

void TextReport::threads() {
  if (summary_.threads.empty())
    return;
  line("");
  if (!summary_.per_thread()) {
    long_fact(
        "Threads",
        fmt::format("{} seen, recorded as one set (--per-thread keeps them "
                    "apart)",
                    format_count(summary_.threads.size())));
    return;
  }
  std::vector<std::pair<std::uint32_t, const ThreadSummary *>> busiest;
  for (const auto &[tid, thread] : summary_.threads)
    busiest.emplace_back(tid, &thread);
  std::sort(busiest.begin(), busiest.end(), [](const auto &a, const auto &b) {
    return a.second->counts.accessed != b.second->counts.accessed
               ? a.second->counts.accessed > b.second->counts.accessed
               : a.first < b.first;
  });
  // As wide as the other tables are on a terminal of 80 columns or less.
  const std::size_t name_width = std::min(style_.width, kWide) - 2 - 9 -
                                 3 * number_width() - may_heading().size() -
                                 (style_.width < kWide ? 0 : 4);
  table_headings(
      fmt::format("Threads: {}s summed over periods, and the periods "
                  "in which each {} any",
                  unit_, abi::records_reads(layout_) ? "accessed" : "wrote"),
      name_width + 9,
      heading_cell(access_heading()) +
          heading_cell(tells_reads() ? "written" : "") +
          heading_cell("periods") + may_heading());
  const std::size_t shown = std::min(style_.top, busiest.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto &[tid, thread] = busiest[i];
    const std::string name =
        tid == 0 ? "threads without their own set" : printable(thread->name);
    line("  {:>8} {}{}{}{}{}", tid, fitted(name, name_width),
         count_cell(thread->counts.accessed),
         tells_reads() ? count_cell(thread->counts.written)
                       : std::string(number_width(), ' '),
         count_cell(thread->periods), may_cell(thread->counts.may));
  }
  if (busiest.size() > shown)
    line("  and {} more", format_count(busiest.size() - shown));
  if (summary_.threads_left_out)
    line("  (there were still more; they are not in this table)");
}

void TextReport::checksums() {
  if (summary_.header.checksum_mode == trace::ChecksumMode::kNone)
    return;
  const ChecksumSummary &sums = summary_.checksums;
  line("");
  fact("Checksums",
       fmt::format("of {} {}s (if unstable: {})",
                   checksum_mode_name(summary_.header.checksum_mode), unit_,
                   unstable_policy_name(summary_.header.unstable_policy)));
  long_fact(
      "", fmt::format("{} stable, {} unstable, {} gone, {} unreadable",
                      format_count(sums.stable), format_count(sums.unstable),
                      format_count(sums.gone), format_count(sums.unreadable)));
}

void TextReport::cuts() {
  const CutSummary &cuts = summary_.cuts;
  if (cuts.cuts + cuts.without == 0)
    return;
  std::string text =
      fmt::format("{} of {} periods ended in a cut", format_count(cuts.cuts),
                  format_count(cuts.cuts + cuts.without));
  const auto shares = [](const Distribution &of, auto format) {
    return fmt::format("{}, {} (95 %), {} at most", format(of.percentile(0.5)),
                       format(of.percentile(0.95)), format(of.maximum()));
  };
  long_fact("Cuts", text);
  if (cuts.cuts != 0) {
    long_fact("", "pause: median " + shares(cuts.pause_ns, format_duration));
    long_fact("", fmt::format("{}s read in it: median ", unit_) +
                      shares(cuts.marked, format_count) +
                      "; of unsettled threads: median " +
                      shares(cuts.unsettled, format_count));
  }
  for (const auto &[reason, count] : cuts.reasons)
    long_fact("", fmt::format("no cut in {}: {}", format_count(count),
                              printable(reason)));
  if (cuts.reasons_left_out)
    long_fact("", "no cut in others, for further reasons");
}

void TextReport::notes() {
  if (summary_.notes.empty())
    return;
  line("");
  const std::size_t shown = std::min(style_.top, summary_.notes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Note &note = summary_.notes[i];
    long_fact("Note",
              fmt::format("{} (period {}): {}", note_code_name(note.code),
                          note.period, printable(note.text)));
  }
  if (summary_.note_count > shown)
    line("  and {} more", format_count(summary_.note_count - shown));
}

std::string TextReport::run() {
  facts();
  figures();
  curve();
  mappings();
  threads();
  checksums();
  cuts();
  notes();
  return take();
}

} // namespace

std::string report_text(const Summary &summary, const ReportStyle &style) {
  return TextReport(summary, style).run();
}

} // namespace pagetide::tools
