//===- trace_encode.h - Payloads of trace frames --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes frames from the runtime's data. include/pagetide/trace_encoding.h
// encodes their fields. There is no input or output here.

#pragma once

#include "pagetide/trace_encoding.h"
#include "periods/period_result.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"

#include "sanitizer_common/sanitizer_libc.h"

namespace pagetide {

using Encoder = trace::PayloadEncoder<PageVec<u8>>;

/// A string that ends with a zero, for the encoder.
inline trace::Text TextOf(const char *text) {
  return {text, __sanitizer::internal_strlen(text)};
}

/// Begins a PendingFrame in `frames`. Bytes appended until EndPendingFrame are
/// its payload. Returns the handle for EndPendingFrame.
uptr BeginPendingFrame(PageVec<u8> &frames, trace::FrameType type);
void EndPendingFrame(PageVec<u8> &frames, uptr handle);

void EncodeMappings(PageVec<u8> &frames, u64 time, const MappingList &list);
/// The thread's sets are exact from a time on.
void EncodeExactSince(PageVec<u8> &frames, u32 tid, u64 since);
void EncodeNote(PageVec<u8> &frames, u64 time, u64 period, trace::NoteCode code,
                const char *text);
/// `periods`: one above the last period's index.
void EncodeCut(PageVec<u8> &frames, u64 period, const CutResult &cut);
void EncodeEnd(PageVec<u8> &frames, u64 time, trace::EndReason reason,
               u64 periods);

/// Splits a period into parts of about trace::kPartBytes.
class PeriodEncoder {
public:
  /// `context`: the trace::is_context() frames that precede in the file.
  /// `relative`: the trace has kHeaderRelativeHashes.
  PeriodEncoder(const PeriodResult &result, u64 context, bool relative = false)
      : result_(result), context_(context), relative_(relative) {}
  /// Puts the next part's payload in `out`. False after the last.
  bool NextPart(PageVec<u8> &out);

private:
  u64 ChooseEnd() const;
  u64 CostUpTo(u64 end) const;
  void EncodeSections(Encoder &encoder, u64 end) const;
  void EncodeHashes(Encoder &encoder, u64 end) const;
  void EncodeRelativeHashes(Encoder &encoder, u64 end) const;
  const PeriodResult &result_;
  u64 context_;
  bool relative_;
  u64 begin_ = 0; ///< first granule of the next part
  bool done_ = false;
};

} // namespace pagetide
