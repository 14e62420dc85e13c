//===- process_view.h - What a document shows of one process --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_HTML_PROCESS_VIEW_H
#define PAGETIDE_TOOLS_HTML_PROCESS_VIEW_H

#include "html/html_document.h"
#include "html/view_grid.h"
#include "report/selection.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace pagetide::tools {

/// How much of a document one process may take.
struct ViewLimits {
  std::size_t cells = std::size_t{16} << 20; ///< of the grid of all threads
  std::size_t thread_cells = std::size_t{8} << 20; ///< of all others together
  /// Of the grids, compressed. They are made coarser until they fit.
  std::size_t packed_bytes = std::size_t{17} << 19;
  std::size_t pages = 180'000;     ///< listed one by one
  std::size_t checksums = 120'000; ///< listed one by one
  std::size_t bands = 512;
  std::size_t threads = 31; ///< with grids of their own

  /// The share of one of several processes.
  ViewLimits divided(std::size_t by) const;
};

/// Opens the trace, which is read more than once.
using OpenSelected = std::function<std::unique_ptr<SelectedTrace>()>;

/// Reads the trace, adds its packed data to the document, and returns what
/// describes them. Throws Failure if the trace cannot be read.
nlohmann::ordered_json view_process(const OpenSelected &open,
                                    const ViewLimits &limits,
                                    HtmlDocument &document);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_HTML_PROCESS_VIEW_H
