//===- view_grid.h - Counts of accesses by time and address ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace has too many pages in too many periods for a picture. A grid has a
// cell for some neighbouring granules in some consecutive periods. A row of
// cells never has granules of two bands.

#pragma once

#include "analysis/address_bands.h"
#include "trace/trace_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// How finely a grid divides time and addresses. Both steps are powers of two.
struct GridShape {
  std::uint64_t periods_per_bin = 1;
  std::uint64_t granules_per_row = 1;

  /// Half as many bins and rows.
  GridShape coarser(unsigned times) const {
    return {periods_per_bin << times, granules_per_row << times};
  }
  /// As coarse as both.
  GridShape with(const GridShape &other) const {
    return {std::max(periods_per_bin, other.periods_per_bin),
            std::max(granules_per_row, other.granules_per_row)};
  }
};

/// The rows that all bands have together.
std::size_t count_rows(const AddressBands &bands,
                       std::uint64_t granules_per_row);

class ViewGrid {
public:
  static constexpr std::size_t kMaxBins = 8192;
  static constexpr std::size_t kMaxRows = 65536;
  /// The level of a cell whose granules were all accessed in all its periods.
  /// Each level below is half as much. Level 0 is none at all.
  static constexpr unsigned kFullLevel = 15;

  /// `bands` must outlive the grid.
  ViewGrid(GridShape shape, std::uint64_t periods, const AddressBands &bands);

  /// Counts the accesses of a run in the period with this ordinal number.
  void add(std::uint64_t period, const GranuleRun &run);

  /// Adds the counts of a grid of the same bands and periods that is as fine or
  /// finer.
  void add(const ViewGrid &finer);

  GridShape shape() const { return shape_; }
  std::size_t bins() const { return bins_; }
  std::size_t rows() const { return rows_; }
  /// A byte per cell, row by row, and each row from its first bin on. The lower
  /// four bits are the level of reads, the upper ones that of writes. Accesses
  /// that may be either count as reads.
  std::vector<std::uint8_t> levels() const;

private:
  struct Counts {
    std::uint32_t read = 0;
    std::uint32_t written = 0;
  };

  void add_piece(std::size_t bin, std::uint64_t position, std::uint64_t count,
                 unsigned flags);
  std::size_t band_at(std::uint64_t position);

  GridShape shape_;
  std::uint64_t periods_;
  const AddressBands &bands_;
  std::vector<std::size_t> first_rows_; ///< of the bands
  std::size_t bins_;
  std::size_t rows_;
  std::size_t recent_band_ = 0; ///< most granules are near the last one
  /// Bin by bin: that is how periods come.
  std::vector<Counts> counts_;
};

/// The finest shape that has at most `max_cells` cells, and not more than
/// `max_bins` bins or kMaxRows rows.
GridShape shape_for(std::uint64_t periods, const AddressBands &bands,
                    std::size_t max_cells,
                    std::size_t max_bins = ViewGrid::kMaxBins);

} // namespace pagetide::tools
