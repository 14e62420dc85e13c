//===- heatmap_report.cpp - Accesses by time and address ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/heatmap_report.h"

#include "analysis/largest_first.h"
#include "analysis/report_limits.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::size_t kTextRows = 24;
constexpr std::size_t kMinRowsOfProcess = 5;
constexpr HeatResolution kSvgResolution = {320, 160};
constexpr HeatResolution kJsonResolution = {200, 100};
/// A band has as many rows on average, so that it shows something. That does
/// not hold for a few bands.
constexpr std::size_t kRowsOfBand = 2;
constexpr std::size_t kFewBands = 8;
constexpr std::size_t kMaxBands = 64;
/// The part of the rows that extra bands may have.
constexpr std::size_t kExtraRows = 4;
constexpr std::size_t kMaxProcesses = 100;

HeatResolution with_defaults(HeatmapReport::Form form,
                             HeatResolution resolution) {
  using Form = HeatmapReport::Form;
  if (resolution.columns == 0 && form != Form::kText)
    resolution.columns =
        (form == Form::kSvg ? kSvgResolution : kJsonResolution).columns;
  if (resolution.rows == 0)
    resolution.rows = form == Form::kText  ? kTextRows
                      : form == Form::kSvg ? kSvgResolution.rows
                                           : kJsonResolution.rows;
  return resolution;
}

} // namespace

HeatmapReport::HeatmapReport(Form form, const HeatResolution &resolution,
                             const ReportStyle &style, std::size_t traces)
    : form_(form), resolution_(with_defaults(form, resolution)), style_(style) {
  const std::size_t processes =
      std::clamp<std::size_t>(std::min(traces, style.top), 1, kMaxProcesses);
  if (resolution.rows == 0)
    resolution_.rows =
        std::max(resolution_.rows, processes * kMinRowsOfProcess);
  const std::size_t rows = resolution_.rows / processes;
  max_bands_ =
      std::clamp(std::max(rows / kRowsOfBand, std::min(rows, kFewBands)),
                 std::size_t{1}, kMaxBands);
  extra_bands_ = std::min(rows / kExtraRows, rows - std::min(rows, max_bands_));
}

std::string HeatmapReport::title() const {
  return fmt::format("Heatmap: when which {} were {}", units(),
                     tells_reads() ? "read and written" : access_word());
}

class HeatmapReport::Taker : public TraceTaker {
public:
  Taker(HeatmapReport &report, SelectedTrace &trace)
      : report_(report), trace_(trace) {
    trace.name_mappings(
        [this](std::size_t name, const GranuleRun &piece, const PeriodTime &) {
          if (piece.flags != 0)
            ranges_.add(name, piece.first, piece.end());
        });
  }

  void take(const PeriodPart &part) override {
    report_.end_ns_ = std::max(
        report_.end_ns_, std::min(trace_.since_start(part.end_ns), kMaxTime));
  }

  void finish() override {
    const auto name_of = [this](std::size_t name) {
      return trace_.mapping(name);
    };
    report_.processes_.push_back(
        {ranges_.bands(report_.max_bands_, name_of, report_.extra_bands_),
         {},
         false});
  }

private:
  HeatmapReport &report_;
  SelectedTrace &trace_;
  UsedRanges ranges_;
};

std::unique_ptr<TraceTaker> HeatmapReport::start(SelectedTrace &trace) {
  from_ns_ = trace.selection().from_ns;
  return std::make_unique<Taker>(*this, trace);
}

void HeatmapReport::lay_out() {
  // The processes with the most pages, in the order of the traces.
  const std::vector<std::size_t> order =
      numbers_largest_first(processes_.size(), [&](std::size_t i) {
        return processes_[i].bands.length();
      });
  shown_ = std::min({order.size(), style_.top, kMaxProcesses});
  std::uint64_t length = 0;
  std::vector<const AddressBands *> bands;
  for (std::size_t i = 0; i < shown_; ++i) {
    Process &process = processes_[order[i]];
    if (process.bands.length() == 0) {
      shown_ = i;
      break;
    }
    process.is_shown = true;
    length += process.bands.length();
    bands.push_back(&process.bands);
  }
  const std::size_t columns =
      form_ == Form::kText
          ? std::min(resolution_.columns == 0 ? SIZE_MAX : resolution_.columns,
                     heat_text_columns(bands, granule_shift(), style_.width))
          : resolution_.columns;
  time_ = HeatTime::of(from_ns_, end_ns_, columns);
  // Each has its share of the rows, by its length, and not less than a few.
  const std::size_t least =
      shown_ == 1
          ? resolution_.rows
          : std::min(kMinRowsOfProcess,
                     resolution_.rows / std::max(shown_, std::size_t{1}));
  const std::size_t spare = resolution_.rows - least * shown_;
  for (Process &process : processes_)
    if (process.is_shown)
      process.grid =
          HeatGrid(process.bands,
                   least + static_cast<std::size_t>(
                               static_cast<double>(spare) *
                               static_cast<double>(process.bands.length()) /
                               static_cast<double>(length)),
                   time_);
}

bool HeatmapReport::shows(std::size_t trace) const {
  return processes_[trace].is_shown;
}

void HeatmapReport::fill(std::size_t trace, SelectedTrace &again) {
  HeatGrid &grid = processes_[trace].grid;
  const auto time = [&](std::uint64_t ns) {
    return std::min(again.since_start(ns), kMaxTime);
  };
  again.name_mappings(
      [&](std::size_t, const GranuleRun &piece, const PeriodTime &period) {
        if (piece.flags != 0)
          grid.add(piece, time(period.start_ns), time(period.end_ns));
      });
  while (const PeriodPart *part = again.next())
    if (part->last)
      grid.add_period(time(part->start_ns), time(part->end_ns));
}

std::string HeatmapReport::heading(std::size_t trace) const {
  const Trace &facts = traces()[trace];
  const std::string program =
      printable(facts.program.substr(facts.program.rfind('/') + 1));
  return fmt::format("Process {}{}", facts.pid,
                     program.empty() ? "" : ": " + program);
}

HeatPicture HeatmapReport::picture() const {
  HeatPicture picture;
  picture.title = title();
  picture.time = time_;
  picture.tells_reads = tells_reads();
  picture.access_word = access_word();
  picture.unit = unit();
  picture.granule_shift = granule_shift();
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (processes_[i].is_shown)
      picture.panels.push_back(
          {processes_.size() == 1 ? "" : heading(i), &processes_[i].grid});
  picture.left_out = left_out();
  return picture;
}

/// Which processes have no picture, and why.
std::string HeatmapReport::left_out() const {
  const auto idle = static_cast<std::size_t>(
      std::ranges::count_if(processes_, [](const Process &process) {
        return process.bands.length() == 0;
      }));
  const auto count = [](std::size_t processes, const char *what) {
    return fmt::format("{}{} process{}", format_count(processes), what,
                       processes == 1 ? "" : "es");
  };
  std::string text;
  if (const std::size_t more = processes_.size() - shown_ - idle)
    text = fmt::format("Not shown: {}, with fewer {}s. --top shows more.",
                       count(more, " more"), unit());
  if (idle != 0 && shown_ != 0)
    text += fmt::format("{}{} {} nothing.", text.empty() ? "" : " ",
                        count(idle, ""), access_word());
  return text;
}

void HeatmapReport::write_text(ReportLines &out) const {
  if (shown_ == 0) {
    out.line("Nothing was {}.", access_word());
    return;
  }
  out.append(heat_text(picture(), out.style()));
}

std::string HeatmapReport::svg(const std::string &words) const {
  HeatPicture whole = picture();
  whole.facts = facts(words);
  if (shown_ == 0)
    whole.facts.push_back(fmt::format("Nothing was {}.", access_word()));
  return heat_svg(whole);
}

std::span<const ReportColumn> HeatmapReport::columns() const {
  static constexpr ReportColumn kColumns[] = {
      {"pid", true},      {"address"},  {"granules"}, {"mapping"},
      {"start_ns", true}, {"accessed"}, {"read"},     {"written"}};
  return kColumns;
}

/// A row for each cell of the picture that is not empty.
std::vector<ReportRow> HeatmapReport::rows() const {
  std::vector<ReportRow> rows;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (!processes_[i].is_shown)
      continue;
    const HeatGrid &grid = processes_[i].grid;
    for (std::size_t row = 0; row < grid.rows().size(); ++row) {
      const HeatRow &here = grid.rows()[row];
      for (std::size_t column = 0; column < time_.columns; ++column) {
        const HeatCell &cell = grid.cell(row, column);
        if (cell.accessed != 0)
          rows.push_back({traces()[i].pid,
                          fmt::format("{:#x}", here.first << granule_shift()),
                          here.end - here.first,
                          processes_[i].bands.list()[here.band].label,
                          time_.from_ns + column * time_.column_ns,
                          cell.accessed, if_told(cell.read),
                          if_told(cell.written)});
      }
    }
  }
  return rows;
}

void HeatmapReport::write_json(Json &out) const {
  out["start_ns"] = time_.from_ns;
  out["column_ns"] = time_.column_ns;
  out["columns"] = time_.columns;
  out["processes"] = Json::array();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process &process = processes_[i];
    if (!process.is_shown)
      continue;
    const HeatGrid &grid = process.grid;
    const unsigned shift = granule_shift();
    Json bands = Json::array();
    for (const AddressBand &band : process.bands.list())
      bands.push_back({{"address", fmt::format("{:#x}", band.first << shift)},
                       {"granules", band.length()},
                       {"mapping", band.label},
                       {"more_mappings", band.more_labels}});
    Json rows = Json::array();
    for (std::size_t row = 0; row < grid.rows().size(); ++row) {
      const HeatRow &here = grid.rows()[row];
      Json accessed = Json::array();
      Json read = Json::array();
      Json written = Json::array();
      for (std::size_t column = 0; column < time_.columns; ++column) {
        const HeatCell &cell = grid.cell(row, column);
        accessed.push_back(cell.accessed);
        read.push_back(cell.read);
        written.push_back(cell.written);
      }
      rows.push_back(
          {{"address", fmt::format("{:#x}", here.first << shift)},
           {"granules", here.end - here.first},
           {"band", here.band},
           {"accessed", std::move(accessed)},
           {"read", tells_reads() ? std::move(read) : Json()},
           {"written", tells_reads() ? std::move(written) : Json()}});
    }
    Json periods = Json::array();
    for (std::size_t column = 0; column < time_.columns; ++column)
      periods.push_back(grid.periods(column));
    out["processes"].push_back({{"pid", traces()[i].pid},
                                {"file", traces()[i].path},
                                {"periods", std::move(periods)},
                                {"bands", std::move(bands)},
                                {"rows", std::move(rows)}});
  }
}

} // namespace pagetide::tools
