//===- report_text.cpp - The texts of report and info ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_text.h"

#include "analysis/largest_first.h"
#include "report/bar_table.h"
#include "report/run_report.h"
#include "report/units.h"
#include "support/option_text.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace pagetide::tools {

namespace {

constexpr std::size_t kTextIndent = 2;
constexpr std::size_t kFactIndent = 13;
constexpr std::size_t kCommandLines = 4;

class TextReport : ReportLines {
public:
  TextReport(const Summary &summary, const ReportStyle &style)
      : ReportLines(style), summary_(summary),
        units_(Units::of(summary.header)) {}

  std::string run() {
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

private:
  void fact(const char *label, const std::string &text) {
    line("  {:<10} {}", label, text);
  }

  /// A fact of several words, wrapped at the report's width.
  void long_fact(const char *label, const std::string &text) {
    labelled(fmt::format("  {:<10} ", label), text, style().width);
  }

  /// A count of granules that may be more.
  static Json count_of(std::uint64_t count, bool is_lower_bound) {
    return is_lower_bound ? Json(">=" + format_count(count)) : Json(count);
  }

  /// A table without bars. It has no column for what nobody can tell.
  void table(const std::string &title, std::vector<std::string> headings,
             std::vector<BarRow> rows, const char *noun = nullptr) {
    line("");
    remark(title);
    BarTable table;
    table.headings = std::move(headings);
    table.rows = std::move(rows);
    table.noun = noun;
    table.has_bars = false;
    append(draw_bars(std::move(table), style()));
  }

  bool is_by_marks() const {
    if (summary_.process)
      return engine_text(summary_.process->engine).empty();
    // A damaged frame may have named another engine.
    return summary_.completeness.damage_count() == 0;
  }

  void facts() {
    const Summary &s = summary_;
    const bool is_complete = s.completeness.is_complete();
    append(wrapped(fmt::format("{} ({}, {})", printable(s.path),
                               format_bytes(s.file_bytes),
                               is_complete ? "complete" : "INCOMPLETE"),
                   kTextIndent, style().width));
    if (!is_complete)
      paragraph(kTextIndent, s.completeness.sentence(), style().width);
    line("");
    if (s.process) {
      long_fact("Program", printable(s.process->executable));
      long_fact("Command",
                shortened(format_command_briefly(s.process->arguments),
                          kCommandLines * (style().width - kFactIndent)));
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
                          format_bytes(s.granule_bytes()),
                          s.per_thread() ? "thread" : "process",
                          s.header.flags & trace::kHeaderSkipsConstants
                              ? ", constants left out"
                              : ""));
    if (s.header.flags & trace::kHeaderMarksLate)
      long_fact("Incomplete",
                s.exact_in_windows == 0
                    ? std::string(
                          "marks were switched on while the program ran; "
                          "functions that were running then have none, so any "
                          "period may lack accesses")
                    : fmt::format(
                          "marks were switched on while the program ran. The "
                          "trace says of {} threads since when they are exact; "
                          "before that, accesses may be missing",
                          format_count(s.exact_in_windows)));
    if (s.process)
      if (const std::string text = engine_text(s.process->engine);
          !text.empty())
        long_fact("Engine", text);
    long_fact("Periods", periods_text());
    if (s.end)
      fact("End", end_reason_name(*s.end));
  }

  /// The options without what `pagetide record` set for itself, and without
  /// what other lines of the report say.
  std::string options_text() const {
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

  std::string periods_text() const {
    const Summary &s = summary_;
    std::string text = format_count(s.periods);
    if (s.header.period_ns != 0)
      text += fmt::format(" of {}", format_duration(s.header.period_ns));
    if (s.driven_periods != 0)
      text += fmt::format("; {} ended by the program",
                          format_count(s.driven_periods));
    if (s.off_periods != 0)
      text +=
          fmt::format("; {} between windows, {} with marks off",
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

  void figures() {
    std::string title = units_.units();
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    std::vector<BarRow> rows;
    const auto add = [&](const char *label, const Figures &figures) {
      rows.push_back(
          {label,
           {figures.median, figures.p95, figures.maximum,
            count_of(figures.distinct, figures.distinct_is_lower_bound),
            units_.bytes(figures.distinct)},
           {}});
    };
    const auto add_if_any = [&](const char *label, const Figures &figures) {
      if (figures.sum != 0)
        add(label, figures);
    };
    add(units_.access_word(), summary_.accessed);
    if (units_.tells_reads()) {
      add("read", summary_.read);
      add("written", summary_.written);
    }
    add_if_any("written, no mark", summary_.unmarked);
    add_if_any("carried over only", summary_.carried);
    add_if_any("may, not certain", summary_.may);
    if (units_.tells_reads()) {
      add_if_any("  may be read", summary_.may_read);
      add_if_any("  may be written", summary_.may_written);
    }
    table(title + " in a period, and distinct ones in all periods",
          {"median", "95 %", "maximum", "distinct", ""}, std::move(rows));
    certainty();
  }

  /// How much of what is listed is only possible, and why.
  void certainty() {
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
                        units_.unit()) +
            why;
    line("");
    long_fact("May",
              fmt::format("{} of {} {}s listed, summed over periods, or "
                          "{:.3f}%. {} The others are certain.",
                          format_count(s.may.sum), format_count(s.entries()),
                          units_.unit(), share, why));
  }

  void curve() {
    if (summary_.curve.empty() || summary_.accessed.maximum == 0)
      return;
    line("");
    remark(fmt::format(
        "Working set: what each period {}, the largest in each "
        "column{}",
        units_.access_verb(),
        summary_.off_periods != 0 ? " (no line below: marks were off)" : ""));
    CurveStyle curve;
    curve.width = style().width;
    curve.unicode = style().unicode;
    const auto label = [](double value, const void *context) {
      return format_bytes(
          value * static_cast<double>(
                      static_cast<const Summary *>(context)->granule_bytes()));
    };
    append(draw_curve(summary_.curve, curve, label, &summary_));
  }

  void mappings() {
    if (summary_.mappings.empty())
      return;
    std::vector<BarRow> rows;
    for (const MappingSummary &mapping : summary_.mappings)
      rows.push_back(
          {printable(mapping.name),
           {mapping.counts.accessed,
            json_if(units_.tells_reads(), mapping.counts.written),
            count_of(mapping.distinct, mapping.distinct_is_lower_bound),
            json_if(summary_.may.sum != 0, mapping.counts.may)},
           {}});
    table(fmt::format(
              "Busiest mappings: {}s summed over periods, and distinct ones",
              units_.unit()),
          {units_.access_word(), "written", "distinct", "may"}, std::move(rows),
          "mapping");
  }

  void threads() {
    if (summary_.threads.all().empty())
      return;
    if (!summary_.per_thread()) {
      line("");
      long_fact(
          "Threads",
          fmt::format("{} seen, recorded as one set (--per-thread keeps them "
                      "apart)",
                      format_count(summary_.threads.all().size())));
      return;
    }
    std::vector<BarRow> rows;
    for (const auto *entry :
         largest_first(summary_.threads.all(), [](const ThreadSummary &thread) {
           return thread.counts.accessed;
         })) {
      const auto &[tid, thread] = *entry;
      rows.push_back(
          {tid == 0 ? std::string("threads without their own set")
                    : fmt::format("{} {}", tid, printable(thread.name)),
           {thread.counts.accessed,
            json_if(units_.tells_reads(), thread.counts.written),
            thread.periods, json_if(summary_.may.sum != 0, thread.counts.may)},
           {}});
    }
    table(fmt::format("Threads: {}s summed over periods, and the periods in "
                      "which each {} any",
                      units_.unit(), units_.access_verb()),
          {units_.access_word(), "written", "periods", "may"}, std::move(rows),
          "thread");
    if (summary_.threads.left_out())
      line("  (there were still more; they are not in this table)");
  }

  void checksums() {
    if (summary_.header.checksum_mode == trace::ChecksumMode::kNone)
      return;
    const ChecksumSummary &sums = summary_.checksums;
    line("");
    fact("Checksums",
         fmt::format("of {} {}s (if unstable: {})",
                     checksum_mode_name(summary_.header.checksum_mode),
                     units_.unit(),
                     unstable_policy_name(summary_.header.unstable_policy)));
    long_fact("", fmt::format(
                      "{} stable, {} unstable, {} gone, {} unreadable",
                      format_count(sums.stable), format_count(sums.unstable),
                      format_count(sums.gone), format_count(sums.unreadable)));
  }

  void cuts() {
    const CutSummary &cuts = summary_.cuts;
    if (cuts.cuts + cuts.without == 0)
      return;
    std::string text =
        fmt::format("{} of {} periods ended in a cut", format_count(cuts.cuts),
                    format_count(cuts.cuts + cuts.without));
    const auto shares = [](const Distribution &of, auto format) {
      return fmt::format("{}, {} (95 %), {} at most",
                         format(of.percentile(0.5)),
                         format(of.percentile(0.95)), format(of.maximum()));
    };
    long_fact("Cuts", text);
    if (cuts.cuts != 0) {
      long_fact("", "pause: median " + shares(cuts.pause_ns, format_duration));
      long_fact("", fmt::format("{}s read in it: median ", units_.unit()) +
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

  void notes() {
    if (summary_.notes.empty())
      return;
    line("");
    const std::size_t shown = std::min(style().top, summary_.notes.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Note &note = summary_.notes[i];
      long_fact("Note",
                fmt::format("{} (period {}): {}", note_code_name(note.code),
                            note.period, printable(note.text)));
    }
    if (summary_.note_count > shown)
      line("  and {} more", format_count(summary_.note_count - shown));
  }

  const Summary &summary_;
  Units units_;
};

} // namespace

std::string report_text(const Summary &summary, const ReportStyle &style) {
  return TextReport(summary, style).run();
}

namespace {

constexpr std::array<const char *, 12> kFrameNames = {
    "other", "process", "mappings",      "threads", "period", "note",
    "end",   "sites",   "kernel writes", "regions", "run id", "site table"};

struct FrameCounts {
  std::array<std::uint64_t, kFrameNames.size()> frames = {};
  std::array<std::uint64_t, kFrameNames.size()> bytes = {};

  void add(const Frame &frame) {
    const auto type = static_cast<std::size_t>(frame.type);
    const std::size_t at = type < kFrameNames.size() ? type : 0;
    ++frames[at];
    bytes[at] += frame.bytes;
  }
};

std::string header_text(const trace::FileHeader &header,
                        const std::optional<Process> &process,
                        bool lost_process, std::uint64_t duration_ns) {
  const std::string engine =
      process ? engine_text(process->engine) : std::string();
  const bool by_marks = engine.empty() && !lost_process;
  std::string out;
  const auto fact = [&out](const char *label, const std::string &text) {
    out += fmt::format("  {:<14} {}\n", label, text);
  };
  fact("format",
       fmt::format("version {}.{}, header of {} bytes", header.version_major,
                   header.version_minor, header.header_bytes));
  fact("process", fmt::format("{} (parent {})", header.pid, header.parent_pid));
  if (process) {
    fact("program", printable(process->executable));
    fact("command", format_command_briefly(process->arguments));
  }

  if (!engine.empty())
    fact("engine", engine);
  fact("layout",
       fmt::format("{}{}", abi::kLayoutNames[header.layout],
                   header.flags & trace::kHeaderSites ? ", with sites" : ""));
  if (by_marks)
    fact("precision",
         is_near(header)
             ? "near: some marks do not say which of two granules they mean"
             : "exact");
  fact("cell", format_bytes(std::uint64_t{1} << header.cell_shift));
  fact("granule", format_bytes(std::uint64_t{1} << header.granule_shift));
  fact("page", format_bytes(header.page_bytes));
  fact("sets",
       header.flags & trace::kHeaderPerThread ? "per thread" : "per process");
  if (by_marks)
    fact("constants", header.flags & trace::kHeaderSkipsConstants
                          ? "left out by some module"
                          : "marked");
  if (header.flags & trace::kHeaderMarksLate)
    fact("marks",
         "switched on while the program ran; functions that were running "
         "then have none");
  fact("checksums",
       fmt::format("{}{}", checksum_mode_name(header.checksum_mode),
                   header.flags & trace::kHeaderRelativeHashes
                       ? ", and relative ones"
                       : ""));
  fact("unstable", unstable_policy_name(header.unstable_policy));
  fact("period", header.period_ns == 0 ? "ended by the program"
                                       : format_duration(header.period_ns));
  fact("began",
       fmt::format("{} (monotonic {} ns)", format_realtime(header.realtime_ns),
                   header.monotonic_ns));
  fact("duration", format_duration(duration_ns));
  return out;
}

} // namespace

std::string info_text(TraceReader &reader) {
  FrameCounts counts;
  std::optional<End> end;
  std::optional<Process> process;
  std::uint64_t end_ns = reader.header().monotonic_ns;
  Frame frame;
  while (reader.next(frame)) {
    counts.add(frame);
    if (frame.type == trace::FrameType::kProcess)
      process = frame.process;
    if (frame.type == trace::FrameType::kPeriod)
      end_ns = std::max(end_ns, frame.period.end_ns);
    end.reset();
    if (frame.type == trace::FrameType::kEnd) {
      end = frame.end;
      end_ns = std::max(end_ns, frame.end.time_ns);
    }
  }

  std::string out = printable(reader.name()) + "\n";
  // A damaged frame may have named another engine than marks.
  out += header_text(reader.header(), process, !process && reader.has_damage(),
                     end_ns - reader.header().monotonic_ns);
  const char *label = "frames";
  for (std::size_t type = 1; type <= kFrameNames.size(); ++type) {
    const std::size_t at = type % kFrameNames.size();
    if (counts.frames[at] == 0)
      continue;
    out += (fmt::format("  {:<14} {}: {} ({})\n", label, kFrameNames[at],
                        format_count(counts.frames[at]),
                        format_bytes(counts.bytes[at])));
    label = "";
  }
  const Completeness &completeness = reader.completeness();
  out += fmt::format(
      "  {:<14} {} whole{}\n", "periods",
      format_count(completeness.whole_periods()),
      completeness.last_period()
          ? fmt::format(", the last is period {}", *completeness.last_period())
          : std::string());
  out += fmt::format("  {:<14} {}{}\n", "integrity", completeness.verdict(),
                     completeness.is_complete()
                         ? fmt::format(", {} bytes; ended by {}",
                                       completeness.stop_offset(),
                                       end_reason_name(*end))
                         : "");
  return out;
}

} // namespace pagetide::tools
