//===- heat_grid.cpp - A process's accesses, by time and address ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/heat_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pagetide::tools {

HeatTime HeatTime::of(std::uint64_t from_ns, std::uint64_t to_ns,
                      std::size_t max_columns) {
  const std::uint64_t length = std::max(to_ns, from_ns + 1) - from_ns;
  HeatTime time;
  time.from_ns = from_ns;
  time.column_ns = (length - 1) / std::max<std::size_t>(max_columns, 1) + 1;
  time.columns = (length - 1) / time.column_ns + 1;
  return time;
}

std::pair<std::size_t, std::size_t>
HeatTime::columns_of(std::uint64_t start_ns, std::uint64_t end_ns) const {
  const std::uint64_t start = std::max(start_ns, from_ns) - from_ns;
  const std::uint64_t end = std::max(end_ns, from_ns) - from_ns;
  const std::uint64_t half = column_ns / 2;
  std::uint64_t first = start <= half ? 0 : (start - half - 1) / column_ns + 1;
  std::uint64_t last = end <= half ? 0 : (end - half - 1) / column_ns + 1;
  if (first >= last) {
    first = (start + (std::max(end, start) - start) / 2) / column_ns;
    last = first + 1;
  }
  return {std::min<std::uint64_t>(first, columns),
          std::min<std::uint64_t>(last, columns)};
}

std::vector<HeatRow> heat_rows(const AddressBands &bands,
                               std::size_t max_rows) {
  const std::vector<AddressBand> &list = bands.list();
  // A band needs no more rows than it has granules. What one does not need goes
  // to the others, so the longest comes last.
  std::vector<std::size_t> by_length(list.size());
  std::iota(by_length.begin(), by_length.end(), std::size_t{0});
  std::sort(
      by_length.begin(), by_length.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(list[a].length(), a) < std::pair(list[b].length(), b);
      });
  std::vector<std::uint64_t> counts(list.size(), 1);
  std::uint64_t spare = max_rows > list.size() ? max_rows - list.size() : 0;
  std::uint64_t length_left = bands.length();
  for (const std::size_t i : by_length) {
    const std::uint64_t length = list[i].length();
    const double share = static_cast<double>(spare) *
                         static_cast<double>(length) /
                         static_cast<double>(length_left);
    const auto extra = std::min<std::uint64_t>(
        {static_cast<std::uint64_t>(std::llround(share)), length - 1, spare});
    counts[i] += extra;
    spare -= extra;
    length_left -= length;
  }
  std::vector<HeatRow> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Rows of one size; the last one has what is left.
    const std::uint64_t size = (list[i].length() - 1) / counts[i] + 1;
    for (std::uint64_t at = list[i].first; at < list[i].end; at += size)
      rows.push_back({at, std::min(at + size, list[i].end), i});
  }
  return rows;
}

HeatGrid::HeatGrid(AddressBands bands, std::size_t max_rows,
                   const HeatTime &time)
    : bands_(std::move(bands)), rows_(heat_rows(bands_, max_rows)), time_(time),
      cells_(rows_.size() * time.columns), periods_(time.columns, 0) {
  std::uint64_t position = 0;
  for (const HeatRow &row : rows_) {
    positions_.push_back(position);
    position += row.end - row.first;
  }
}

void HeatGrid::add_period(std::uint64_t start_ns, std::uint64_t end_ns) {
  const auto [first, last] = time_.columns_of(start_ns, end_ns);
  for (std::size_t column = first; column < last; ++column)
    ++periods_[column];
}

void HeatGrid::add(const GranuleRun &run, std::uint64_t start_ns,
                   std::uint64_t end_ns) {
  const auto [first, last] = time_.columns_of(start_ns, end_ns);
  bands_.each_piece(
      run.first, run.end(), [&](std::uint64_t position, std::uint64_t count) {
        const auto above =
            std::upper_bound(positions_.begin(), positions_.end(), position);
        auto row = static_cast<std::size_t>(above - positions_.begin()) - 1;
        for (; count != 0; ++row) {
          const std::uint64_t row_end =
              positions_[row] + (rows_[row].end - rows_[row].first);
          const std::uint64_t step = std::min(count, row_end - position);
          for (std::size_t column = first; column < last; ++column) {
            HeatCell &cell = cells_[row * time_.columns + column];
            cell.accessed += step;
            cell.read += run.flags & trace::kRunRead ? step : 0;
            cell.written += run.flags & trace::kRunWritten ? step : 0;
          }
          position += step;
          count -= step;
        }
      });
}

double HeatGrid::share(std::size_t row, std::size_t column) const {
  const double all = static_cast<double>(rows_[row].end - rows_[row].first) *
                     static_cast<double>(periods_[column]);
  return all == 0 ? 0 : static_cast<double>(cell(row, column).accessed) / all;
}

} // namespace pagetide::tools
