//===- heat_grid.h - A process's accesses, by time and address ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/address_bands.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Equal stretches of time: the columns of a picture.
struct HeatTime {
  std::uint64_t from_ns = 0; ///< since the run's start
  std::uint64_t column_ns = 1;
  std::size_t columns = 1;

  /// As many columns as are needed for [from_ns, to_ns), at most max_columns.
  static HeatTime of(std::uint64_t from_ns, std::uint64_t to_ns,
                     std::size_t max_columns);
  std::uint64_t end_ns() const { return from_ns + columns * column_ns; }
  /// The columns of a period, first and end: those whose middle lies in it, or
  /// the one in which its middle lies.
  std::pair<std::size_t, std::size_t> columns_of(std::uint64_t start_ns,
                                                 std::uint64_t end_ns) const;
};

/// Granules that are one row of a picture.
struct HeatRow {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::size_t band = 0; ///< an index
};

/// At most `max_rows` rows, but at least one for each band. What is above that
/// goes to the bands by their length.
std::vector<HeatRow> heat_rows(const AddressBands &bands, std::size_t max_rows);

/// What happened to the granules of a row in the time of a column: granules,
/// summed over periods.
struct HeatCell {
  std::uint64_t accessed = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

class HeatGrid {
public:
  HeatGrid() = default;
  HeatGrid(AddressBands bands, std::size_t max_rows, const HeatTime &time);

  /// Counts a period. add() counts its accesses.
  void add_period(std::uint64_t start_ns, std::uint64_t end_ns);
  /// Granules that were accessed in a period. Their flags are certain ones.
  void add(const GranuleRun &run, std::uint64_t start_ns, std::uint64_t end_ns);

  const AddressBands &bands() const { return bands_; }
  const std::vector<HeatRow> &rows() const { return rows_; }
  const HeatTime &time() const { return time_; }
  const HeatCell &cell(std::size_t row, std::size_t column) const {
    return cells_[row * time_.columns + column];
  }
  std::uint64_t periods(std::size_t column) const { return periods_[column]; }
  /// What part of the row's granules was accessed in a period of the column on
  /// average, from 0 to 1.
  double share(std::size_t row, std::size_t column) const;

private:
  AddressBands bands_;
  std::vector<HeatRow> rows_;
  std::vector<std::uint64_t> positions_; ///< of the rows on the axis
  HeatTime time_;
  std::vector<HeatCell> cells_; ///< row by row
  std::vector<std::uint64_t> periods_;
};

} // namespace pagetide::tools
