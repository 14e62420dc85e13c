//===- view_grid.cpp - Counts of accesses by time and address -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/view_grid.h"

#include "trace/runs.h"

#include <cmath>
#include <iterator>

namespace pagetide::tools {

namespace {

/// Screens have about so many columns. More bins are for zooming, and cost
/// rows.
constexpr std::uint64_t kEnoughBins = 2048;

/// Rows and columns whose cells the processor's cache has room for.
constexpr std::size_t kSquare = 64;

std::uint64_t ceil_div(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0);
}

/// The least power of two that leaves at most `limit` of `count`.
std::uint64_t step_for(std::uint64_t count, std::uint64_t limit) {
  std::uint64_t step = 1;
  while (ceil_div(count, step) > limit)
    step <<= 1;
  return step;
}

void add_saturating(std::uint32_t &count, std::uint64_t more) {
  count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count + more, UINT32_MAX));
}

std::uint8_t level_of(std::uint32_t count, double all) {
  if (count == 0)
    return 0;
  const double level =
      ViewGrid::kFullLevel + std::log2(static_cast<double>(count) / all);
  return static_cast<std::uint8_t>(
      std::clamp(std::lround(level), 1l, long{ViewGrid::kFullLevel}));
}

} // namespace

std::size_t count_rows(const AddressBands &bands,
                       std::uint64_t granules_per_row) {
  std::size_t rows = 0;
  for (const AddressBand &band : bands.list())
    rows += ceil_div(band.length(), granules_per_row);
  return rows;
}

GridShape shape_for(std::uint64_t periods, const AddressBands &bands,
                    std::size_t max_cells, std::size_t max_bins) {
  GridShape shape;
  const auto fit_rows = [&](std::size_t bins) {
    const std::size_t limit = std::min(
        max_cells / std::max<std::size_t>(bins, 1), ViewGrid::kMaxRows);
    // Each band has a row at least, however small the limit is.
    while (shape.granules_per_row < bands.length() &&
           count_rows(bands, shape.granules_per_row) > limit)
      shape.granules_per_row <<= 1;
  };
  fit_rows(std::min<std::uint64_t>({periods, kEnoughBins, max_bins}));
  const std::size_t rows =
      std::max<std::size_t>(count_rows(bands, shape.granules_per_row), 1);
  shape.periods_per_bin =
      step_for(periods, std::clamp<std::size_t>(max_cells / rows, 1, max_bins));
  return shape;
}

ViewGrid::ViewGrid(GridShape shape, std::uint64_t periods,
                   const AddressBands &bands)
    : shape_(shape), periods_(periods), bands_(bands),
      bins_(ceil_div(periods, shape.periods_per_bin)),
      rows_(count_rows(bands, shape.granules_per_row)), counts_(bins_ * rows_) {
  std::size_t row = 0;
  for (const AddressBand &band : bands.list()) {
    first_rows_.push_back(row);
    row += ceil_div(band.length(), shape.granules_per_row);
  }
}

void ViewGrid::add(std::uint64_t period, const GranuleRun &run) {
  const unsigned flags = certain_flags(run.flags);
  if (period >= periods_ || flags == 0)
    return;
  const std::size_t bin = period / shape_.periods_per_bin;
  bands_.each_piece(run.first, run.end(),
                    [&](std::uint64_t position, std::uint64_t count) {
                      add_piece(bin, position, count, flags);
                    });
}

std::size_t ViewGrid::band_at(std::uint64_t position) {
  const std::vector<AddressBand> &list = bands_.list();
  const AddressBand &recent = list[recent_band_];
  if (position < recent.position ||
      position >= recent.position + recent.length()) {
    const auto above = std::partition_point(
        list.begin(), list.end(),
        [&](const AddressBand &band) { return band.position <= position; });
    recent_band_ = static_cast<std::size_t>(above - list.begin()) - 1;
  }
  return recent_band_;
}

void ViewGrid::add_piece(std::size_t bin, std::uint64_t position,
                         std::uint64_t count, unsigned flags) {
  const std::size_t band = band_at(position);
  std::uint64_t offset = position - bands_.list()[band].position;
  const std::uint64_t end = offset + count;
  while (offset < end) {
    const std::uint64_t row = offset / shape_.granules_per_row;
    const std::uint64_t stop =
        std::min(end, (row + 1) * shape_.granules_per_row);
    Counts &cell = counts_[bin * rows_ + first_rows_[band] + row];
    if (flags & (trace::kRunRead | trace::kRunAccessed))
      add_saturating(cell.read, stop - offset);
    if (flags & trace::kRunWritten)
      add_saturating(cell.written, stop - offset);
    offset = stop;
  }
}

void ViewGrid::add(const ViewGrid &finer) {
  const std::uint64_t bins_in_one =
      shape_.periods_per_bin / finer.shape_.periods_per_bin;
  const std::uint64_t rows_in_one =
      shape_.granules_per_row / finer.shape_.granules_per_row;
  for (std::size_t bin = 0; bin < finer.bins_; ++bin)
    for (std::size_t band = 0; band < first_rows_.size(); ++band) {
      const std::uint64_t rows =
          ceil_div(bands_.list()[band].length(), finer.shape_.granules_per_row);
      const Counts *from =
          &finer.counts_[bin * finer.rows_ + finer.first_rows_[band]];
      Counts *to = &counts_[bin / bins_in_one * rows_ + first_rows_[band]];
      for (std::uint64_t row = 0; row < rows; ++row) {
        add_saturating(to[row / rows_in_one].read, from[row].read);
        add_saturating(to[row / rows_in_one].written, from[row].written);
      }
    }
}

std::vector<std::uint8_t> ViewGrid::levels() const {
  std::vector<std::uint8_t> levels(counts_.size());
  std::vector<double> granules; // of the rows
  for (const AddressBand &band : bands_.list())
    for (std::uint64_t at = 0; at < band.length();
         at += shape_.granules_per_row)
      granules.push_back(static_cast<double>(
          std::min(shape_.granules_per_row, band.length() - at)));
  // Squares of cells: counts are bin by bin, and levels row by row.
  for (std::size_t first_row = 0; first_row < rows_; first_row += kSquare)
    for (std::size_t first_bin = 0; first_bin < bins_; first_bin += kSquare)
      for (std::size_t bin = first_bin;
           bin < std::min(first_bin + kSquare, bins_); ++bin) {
        const auto periods = static_cast<double>(std::min(
            shape_.periods_per_bin, periods_ - bin * shape_.periods_per_bin));
        for (std::size_t row = first_row;
             row < std::min(first_row + kSquare, rows_); ++row) {
          const Counts &cell = counts_[bin * rows_ + row];
          const double all = granules[row] * periods;
          levels[row * bins_ + bin] = static_cast<std::uint8_t>(
              level_of(cell.read, all) | level_of(cell.written, all) << 4);
        }
      }
  return levels;
}

} // namespace pagetide::tools
