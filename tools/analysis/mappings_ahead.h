//===- mappings_ahead.h - The list of mappings that comes next ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "trace/trace_reader.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace pagetide::tools {

/// Reads a trace ahead of another reader of it, to the next list of mappings.
/// Of all queries together it reads the trace at most once.
class MappingsAhead {
public:
  /// `open` opens the trace from its start. It is called when a list is asked
  /// for.
  explicit MappingsAhead(std::function<TraceReader()> open)
      : open_(std::move(open)) {}

  /// The first list behind this offset of the file. Null if there is none, or
  /// if lists before it are lost. Offsets must not fall.
  const Mappings *list_after(std::uint64_t offset);

private:
  std::function<TraceReader()> open_;
  std::optional<TraceReader> reader_;
  Frame frame_;
  bool has_frame_ = false; ///< a list, or where lists are lost
  bool ended_ = false;
};

} // namespace pagetide::tools
