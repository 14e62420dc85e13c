//===- trace_encode.h - Payloads of trace frames --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// include/pagetide/trace_format.h defines them. No input or output here.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_TRACE_TRACE_ENCODE_H
#define PAGETIDE_RUNTIME_TRACE_TRACE_ENCODE_H

#include "periods/period_result.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// Bytes appended to a buffer, in the trace's encodings.
class Encoder {
public:
  explicit Encoder(PageVec<u8> &out) : out_(out) {}
  void Byte(u8 v) { out_.push_back(v); }
  void Varint(u64 v);
  void U64(u64 v);
  void String(const char *text);
  void String(const char *text, uptr bytes);

private:
  PageVec<u8> &out_;
};

/// Begins a PendingFrame in `frames`; what is appended until EndPendingFrame is
/// its payload. Returns the handle that EndPendingFrame takes.
uptr BeginPendingFrame(PageVec<u8> &frames, trace::FrameType type);
void EndPendingFrame(PageVec<u8> &frames, uptr handle);

void EncodeMappings(PageVec<u8> &frames, u64 time, const MappingList &list);
void EncodeNote(PageVec<u8> &frames, u64 time, u64 period, trace::NoteCode code,
                const char *text);
void EncodeEnd(PageVec<u8> &frames, u64 time, trace::EndReason reason,
               u64 detail);

/// Cuts a period into parts of about trace::kPartBytes.
class PeriodEncoder {
public:
  explicit PeriodEncoder(const PeriodResult &result) : result_(result) {}
  /// Puts the next part's payload in `out`. False after the last.
  bool NextPart(PageVec<u8> &out);

private:
  u64 ChooseEnd() const;
  u64 CostUpTo(u64 end) const;
  void EncodeSections(Encoder &encoder, u64 end) const;
  void EncodeHashes(Encoder &encoder, u64 end) const;
  const PeriodResult &result_;
  u64 begin_ = 0; ///< first granule of the next part
  bool done_ = false;
};

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_TRACE_TRACE_ENCODE_H
