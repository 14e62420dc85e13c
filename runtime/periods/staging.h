//===- staging.h - Page sets collected and not yet written ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring of the control block holds periods in order. Each period is a list
// of chunks, and each chunk has words of one thread's shadow. Only the recorder
// adds; the trace writer (or, without a trace, the recorder) releases whole
// periods. What is staged can be harvested after the process died: see
// include/pagetide/shadow_file.h.

#pragma once

#include "platform/raw_thread.h"
#include "shadow/shadow.h"

namespace pagetide {

/// Empties the ring and opens a first period.
void ResetStaging(u64 index, u64 start_ns);

/// The period being collected.
PeriodEntry &OpenPeriod();

/// Completes the open period and opens the next. Waits while kMaxPendingPeriods
/// are pending. Returns the completed one.
PeriodEntry &ClosePeriod(u64 end_ns, u32 flags, u64 overruns);

/// A position in the ring: word `index` of chunk number `chunk`.
struct StagedPosition {
  u64 chunk;
  u32 index;
};

/// Where the next word of a thread goes.
struct StagingPlace {
  StagingChunk *chunk; ///< null: nowhere yet
  StagedPosition position;
};

/// The place in the open period's last chunk, if that is the same thread's and
/// not full. Otherwise nowhere.
StagingPlace PlaceInLastChunk(u32 tid, shadow_file::ChunkKind kind);

/// The place at the beginning of a new chunk. Waits for the trace writer if the
/// ring is full. Nowhere if the open period alone fills the ring.
StagingPlace PlaceInNewChunk(u32 tid, shadow_file::ChunkKind kind);

/// Adds words of one thread to the open period. It continues in the period's
/// last chunk if that is the same thread's. Its address is never passed to a
/// function that is not inlined, so that it stays in registers.
class StagingCursor {
public:
  /// `tid` is 0 if the recording is not per thread.
  StagingCursor(u32 tid, shadow_file::ChunkKind kind) : tid_(tid), kind_(kind) {
    Enter(PlaceInLastChunk(tid, kind));
  }

  /// Makes a record of the word and returns it, so that bits can be added to
  /// its value. It counts from now on. Null if the ring is full.
  StagedWord *Add(u64 word, u64 value) {
    if (__builtin_expect(count_ == shadow_file::kWordsPerChunk, 0) &&
        !Enter(PlaceInNewChunk(tid_, kind_)))
      return nullptr;
    StagedWord &record = chunk_->words[count_];
    record.word = word;
    record.value = value;
    StoreRelease(&chunk_->count, ++count_);
    ++words_;
    return &record;
  }
  /// The same, but if the last record is of this word, adds to that record.
  StagedWord *AddOrJoin(u64 word, u64 value) {
    if (!last_ || last_->word != word)
      return last_ = Add(word, value);
    last_->value |= value;
    return last_;
  }
  u64 Words() const { return words_; }
  /// Where the first word was added; meaningless if there was none.
  StagedPosition First() const { return first_; }

private:
  bool Enter(StagingPlace place) {
    if (!place.chunk)
      return false;
    if (!words_)
      first_ = place.position;
    chunk_ = place.chunk;
    count_ = place.position.index;
    return true;
  }
  u32 tid_;
  shadow_file::ChunkKind kind_;
  StagingChunk *chunk_ = nullptr;
  u32 count_ = shadow_file::kWordsPerChunk; ///< of chunk_; at first it is full
  StagedWord *last_ = nullptr;              ///< for AddOrJoin
  u64 words_ = 0;
  StagedPosition first_ = {};
};

StagingChunk &ChunkAt(u64 number);

/// Sets the thread that releases periods from now on; null: the caller releases
/// them itself. A system call filter can end that thread alone. Then a caller
/// that waits for a release ends too, and what is staged stays there for
/// `pagetide record`.
void SetReleasingThread(const RawThread *thread);

/// Releases all periods up to and including this one, because they are in the
/// trace or not wanted. Any thread may call it, in the order of periods.
void ReleasePeriod(const PeriodEntry &period);

} // namespace pagetide
