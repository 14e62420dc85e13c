//===- period_result.h - All that is known of one period ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/page_hash.h"
#include "periods/page_set.h"
#include "periods/site_rows.h"
#include "platform/page_vec.h"

namespace pagetide {

/// The head of a frame that waits to be written, other than a period's. `bytes`
/// of payload follow it in the buffer.
struct PendingFrame {
  trace::FrameType type;
  u32 bytes;
};

/// How a period ended in a cut, or why it did not.
struct CutResult {
  bool wanted;
  u64 at_ns;     ///< the instant; 0: there was no cut
  u64 pause_ns;  ///< from the first thread stopped to the last one released
  u64 marked;    ///< granules read while threads stood: just written
  u64 unsettled; ///< a thread was perhaps about to write them
  u64 rounds;    ///< of reading ahead, before the stop
  const char *why_not; ///< static; null if there was a cut
};

/// Made by the recorder, consumed by callback and trace writer.
struct PeriodResult {
  PeriodEntry entry; ///< as staged; its chunks are released with it
  PageSet set;
  SiteRows sites; ///< empty if marks name no sites, or without a trace
  PageVec<PageHash> hashes; ///< sorted by granule; empty without checksums
  CombinedChecksum combined;
  CutResult cut;
  PageVec<u8> frames_before; ///< PendingFrame and payload, one after the other
  PageVec<u8> frames_after;
  PeriodResult *next; ///< in a queue or pool
};

} // namespace pagetide
