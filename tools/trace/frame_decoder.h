//===- frame_decoder.h - From the payload of a frame to a record ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include <cstdint>
#include <span>
#include <string>

namespace pagetide::tools {

/// One frame, decoded. Only the member that belongs to `type` says anything;
/// the others keep memory for the next frame of theirs. A frame of a type that
/// this version does not know comes with that type and no content.
struct Frame {
  std::uint64_t offset = 0; ///< where its header is in the file
  std::uint64_t bytes = 0;  ///< header and stored payload
  trace::FrameType type = trace::FrameType::kNote;
  RunId run_id;
  Process process;
  Mappings mappings;
  Threads threads;
  PeriodPart period;
  Note note;
  End end;
  KernelWrites kernel_writes;
  Cut cut;
  SiteTablePart site_table;
  PeriodSites period_sites;
  Regions regions;
  /// Of a Period or a Mappings frame. Frames of mappings that should come
  /// before it are lost. What the one before says no longer holds.
  bool lost_mappings = false;
  /// Of a Period frame. Frames of threads that should come before it are lost.
  bool lost_threads = false;
};

/// Thrown and caught within the reader: the payload violates the format.
struct Malformed {
  std::string reason;
};

/// Decodes an unpacked payload as a frame of type frame.type. Throws Malformed.
/// Looks at this frame only; the caller checks its order among the others.
void decode_frame(const trace::FileHeader &header,
                  std::span<const std::uint8_t> payload, Frame &frame);

} // namespace pagetide::tools
