//===- heatmap_report.h - Accesses by time and address --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each trace is read twice. The first reading finds out which addresses and
// times there are, the second one counts. So the memory depends on the picture,
// not on the trace.

#pragma once

#include "report/heat_picture.h"
#include "report/run_report.h"
#include "support/json.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// How many columns and rows a picture has at most.
struct HeatResolution {
  std::size_t columns = 0; ///< 0: as many as fit
  std::size_t rows = 0;    ///< of all processes; 0: the form's default

  static constexpr std::size_t kMax = 4000; ///< of either
};

class HeatmapReport : public RunReport {
public:
  /// What the picture will be.
  enum class Form { kText, kSvg, kJson };

  HeatmapReport(Form form, const HeatResolution &resolution,
                const ReportStyle &style, std::size_t traces);

  /// Chooses rows and columns. Call it after each trace was added.
  void lay_out();
  /// Whether the picture shows this trace, so that fill() is needed.
  bool shows(std::size_t trace) const;
  /// Reads a trace of traces() for the second time.
  void fill(std::size_t trace, SelectedTrace &again);

  /// The picture as an SVG document.
  std::string svg(const std::string &words) const;

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  struct Process {
    AddressBands bands;
    HeatGrid grid;
    bool is_shown = false;
  };

  const char *kind() const override { return "heatmap"; }
  std::string title() const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  HeatPicture picture() const;
  std::string heading(std::size_t trace) const;
  std::string left_out() const;

  Form form_;
  HeatResolution resolution_;
  ReportStyle style_;
  std::size_t max_bands_;
  std::size_t extra_bands_;        ///< if long holes would stay
  std::vector<Process> processes_; ///< of each trace
  std::size_t shown_ = 0;
  HeatTime time_;
  std::uint64_t from_ns_ = 0;
  std::uint64_t end_ns_ = 0; ///< of the last period
};

} // namespace pagetide::tools
