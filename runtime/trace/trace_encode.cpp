//===- trace_encode.cpp - Payloads of trace frames ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

namespace pagetide {

using namespace trace;

uptr BeginPendingFrame(PageVec<u8> &frames, FrameType type) {
  uptr handle = frames.size();
  frames.resize(handle + sizeof(PendingFrame));
  PendingFrame frame = {type, 0};
  __sanitizer::internal_memcpy(&frames[handle], &frame, sizeof(frame));
  return handle;
}

void EndPendingFrame(PageVec<u8> &frames, uptr handle) {
  PendingFrame frame;
  __sanitizer::internal_memcpy(&frame, &frames[handle], sizeof(frame));
  frame.bytes = (u32)(frames.size() - handle - sizeof(frame));
  __sanitizer::internal_memcpy(&frames[handle], &frame, sizeof(frame));
}

void EncodeMappings(PageVec<u8> &frames, u64 time, const MappingList &list) {
  uptr frame = BeginPendingFrame(frames, FrameType::kMappings);
  Encoder encoder(frames);
  encoder.mappings(time, list.entries.size());
  for (const Mapping &m : list.entries)
    encoder.mapping(m.start, m.bytes,
                    m.protection | (m.shared ? kMappingShared : 0) |
                        (m.bss ? kMappingBss : 0),
                    m.offset, TextOf(list.NameOf(m)));
  for (const Mapping &m : list.entries)
    if (m.shared)
      encoder.shared_object(m.device, m.inode);
  EndPendingFrame(frames, frame);
}

void EncodeExactSince(PageVec<u8> &frames, u32 tid, u64 since) {
  const uptr frame = BeginPendingFrame(frames, FrameType::kThreads);
  Encoder encoder(frames);
  encoder.threads(1);
  encoder.thread(ThreadEvent::kExactSince, tid, since, TextOf(""));
  EndPendingFrame(frames, frame);
}

void EncodeNote(PageVec<u8> &frames, u64 time, u64 period, NoteCode code,
                const char *text) {
  uptr frame = BeginPendingFrame(frames, FrameType::kNote);
  Encoder(frames).note(time, period, code, TextOf(text));
  EndPendingFrame(frames, frame);
}

void EncodeCut(PageVec<u8> &frames, u64 period, const CutResult &cut) {
  uptr frame = BeginPendingFrame(frames, FrameType::kCut);
  Encoder(frames).cut(period, cut.at_ns, cut.pause_ns, cut.marked,
                      cut.unsettled, cut.rounds,
                      TextOf(cut.why_not ? cut.why_not : ""));
  EndPendingFrame(frames, frame);
}

void EncodeEnd(PageVec<u8> &frames, u64 time, EndReason reason, u64 periods) {
  uptr frame = BeginPendingFrame(frames, FrameType::kEnd);
  Encoder(frames).end(time, reason, /*detail=*/0, periods);
  EndPendingFrame(frames, frame);
}

//===- Periods ------------------------------------------------------------===//

/// Index of the first run in [first, last) that ends after `granule`.
static uptr FirstRunAfter(const PageVec<GranuleRun> &runs, uptr first,
                          uptr last, u64 granule) {
  const Span<GranuleRun> part = {runs.data() + first, last - first};
  return first + __sanitizer::InternalLowerBound(
                     part, granule, [](const GranuleRun &run, u64 at) {
                       return run.end() <= at;
                     });
}

/// An upper bound for the bytes of the part [begin_, end).
u64 PeriodEncoder::CostUpTo(u64 end) const {
  // A run is two varints of granule numbers (at most 7 bytes each for 47-bit
  // addresses and the finest granule) and a byte; a hash may begin a run.
  constexpr u64 kRunBytes = 15, kSectionBytes = 15;
  const u64 hash_bytes = (relative_ ? 16 : 8) + kRunBytes;
  u64 cost = 0;
  for (const Section &s : result_.set.sections) {
    uptr last = s.first + s.count;
    uptr a = FirstRunAfter(result_.set.runs, s.first, last, begin_);
    uptr b = FirstRunAfter(result_.set.runs, a, last, end);
    cost += kSectionBytes + (b - a + 1) * kRunBytes;
  }
  cost +=
      (FirstPageAt(result_.hashes, end) - FirstPageAt(result_.hashes, begin_)) *
      hash_bytes;
  return cost;
}

u64 PeriodEncoder::ChooseEnd() const {
  constexpr u64 kAll = u64{1} << (abi::kAddressBits - abi::kMinGranuleShift);
  if (CostUpTo(kAll) <= kPartBytes)
    return kAll;
  u64 fits = begin_ + 1, too_far = kAll; // a part has at least one granule
  while (too_far - fits > 1) {
    u64 middle = fits + (too_far - fits) / 2;
    if (CostUpTo(middle) <= kPartBytes)
      fits = middle;
    else
      too_far = middle;
  }
  return fits;
}

void PeriodEncoder::EncodeSections(Encoder &encoder, u64 end) const {
  const PageVec<GranuleRun> &runs = result_.set.runs;
  auto clip = [&](const GranuleRun &run) {
    GranuleRun clipped = run;
    if (clipped.granule < begin_)
      clipped.granule = begin_;
    clipped.length = (run.end() < end ? run.end() : end) - clipped.granule;
    return clipped;
  };
  struct Window {
    uptr first, last;
  };
  auto window_of = [&](const Section &s) {
    uptr stop = s.first + s.count;
    Window w;
    w.first = FirstRunAfter(runs, s.first, stop, begin_);
    for (w.last = FirstRunAfter(runs, w.first, stop, end);
         w.last < stop && runs[w.last].granule < end;)
      ++w.last; // this run reaches beyond the window
    return w;
  };
  u64 sections = 0;
  for (const Section &s : result_.set.sections) {
    Window w = window_of(s);
    sections += w.first != w.last;
  }
  encoder.sections(sections);
  for (const Section &s : result_.set.sections) {
    Window w = window_of(s);
    if (w.first == w.last)
      continue;
    encoder.section(s.tid, w.last - w.first);
    for (uptr i = w.first; i < w.last; ++i) {
      const GranuleRun run = clip(runs[i]);
      encoder.run(run.granule, run.length, (u8)run.flags);
    }
  }
}

void PeriodEncoder::EncodeHashes(Encoder &encoder, u64 end) const {
  const PageVec<PageHash> &hashes = result_.hashes;
  uptr first = FirstPageAt(hashes, begin_), last = FirstPageAt(hashes, end);
  auto run_end = [&](uptr i) {
    uptr j = i + 1;
    while (j < last && hashes[j].granule == hashes[j - 1].granule + 1 &&
           hashes[j].state == hashes[i].state)
      ++j;
    return j;
  };
  u64 count = 0;
  for (uptr i = first; i < last; i = run_end(i))
    ++count;
  encoder.checksums(count);
  for (uptr i = first; i < last;) {
    uptr j = run_end(i);
    encoder.run(hashes[i].granule, j - i, (u8)hashes[i].state);
    i = j;
  }
  for (uptr i = first; i < last; ++i)
    if (hashes[i].state == ChecksumState::kStable)
      encoder.u64(hashes[i].hash);
}

void PeriodEncoder::EncodeRelativeHashes(Encoder &encoder, u64 end) const {
  const PageVec<PageHash> &hashes = result_.hashes;
  const uptr last = FirstPageAt(hashes, end);
  for (uptr i = FirstPageAt(hashes, begin_); i < last; ++i)
    if (hashes[i].state == ChecksumState::kStable)
      encoder.u64(hashes[i].relative);
}

bool PeriodEncoder::NextPart(PageVec<u8> &out) {
  if (done_)
    return false;
  out.clear();
  Encoder encoder(out);
  u64 end = ChooseEnd();
  constexpr u64 kAll = u64{1} << (abi::kAddressBits - abi::kMinGranuleShift);
  done_ = end == kAll;
  const PeriodEntry &entry = result_.entry;
  encoder.period(entry.index,
                 (begin_ == 0 ? kPartFirst : 0) | (done_ ? kPartLast : 0),
                 (u8)entry.flags, entry.start_ns, entry.end_ns, entry.overruns);
  EncodeSections(encoder, end);
  EncodeHashes(encoder, end);
  if (done_)
    encoder.period_sums(result_.combined.sum, result_.combined.stable,
                        result_.combined.left_out);
  encoder.part_end(context_);
  if (relative_)
    EncodeRelativeHashes(encoder, end);
  begin_ = end;
  return true;
}

} // namespace pagetide
