//===- process_view.h - What a document shows of one process --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"
#include "html/site_list.h"
#include "html/view_grid.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

/// How much of a document one process may take.
struct ViewLimits {
  std::size_t bytes = 18'500'000;            ///< of all, as the document has it
  std::size_t cells = std::size_t{16} << 20; ///< of the grid of all threads
  std::size_t thread_cells = std::size_t{8} << 20; ///< of all others together
  /// Of the grids, compressed. They are made coarser until they fit.
  std::size_t packed_bytes = 8'300'000;
  std::size_t pages = 180'000;     ///< listed one by one
  std::size_t checksums = 120'000; ///< listed one by one
  std::size_t bands = 512;
  std::size_t bins = ViewGrid::kMaxBins;
  std::size_t names = 4096; ///< of mappings
  std::size_t threads = 31; ///< with grids of their own

  /// The limits of a process that has only so much room.
  static ViewLimits within(std::size_t bytes);
};

/// What a document has about one process.
struct ViewData {
  std::string json;
  /// The JSON names them by their index here.
  std::vector<std::vector<std::uint8_t>> blobs;

  /// What all of it needs in the document.
  std::size_t bytes() const;
};

/// Opens the trace, which is read more than once.
using OpenSelected = std::function<std::unique_ptr<SelectedTrace>()>;

/// Reads the trace. The limit of bytes is kept as far as it can be: the caller
/// looks. `sites` is null if the document has none. Throws Failure if the trace
/// cannot be read.
ViewData view_process(const OpenSelected &open, const ViewLimits &limits,
                      const SiteList *sites);

} // namespace pagetide::tools
