//===- thread_chunks.h - A period's chunks, thread by thread --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/merge_ascending.h"
#include "periods/staging.h"

namespace pagetide {

/// Keeps its memory between periods.
class ThreadChunks {
public:
  void Clear() { chunks_.clear(); }
  /// A chunk by its number. Call in rising order.
  void Add(u32 tid, u64 number) { chunks_.push_back({tid, number}); }

  /// Calls take_chunk(number) for the chunks of one thread, in the order in
  /// which they were added, and then end_thread(tid). The same for the next
  /// thread, in rising order. Reorders the list.
  template <typename TakeChunk, typename EndThread>
  void ForEachThread(TakeChunk take_chunk, EndThread end_thread) {
    MergeAscending(
        chunks_, space_,
        [](const Chunk &a, const Chunk &b) { return a.tid < b.tid; },
        [](PageVec<Chunk> &list, uptr, const Chunk &chunk) {
          list.push_back(chunk);
        });
    for (uptr i = 0; i < chunks_.size();) {
      const u32 tid = chunks_[i].tid;
      for (; i < chunks_.size() && chunks_[i].tid == tid; ++i)
        take_chunk(chunks_[i].number);
      end_thread(tid);
    }
  }

private:
  struct Chunk {
    u32 tid;
    u64 number;
  };
  PageVec<Chunk> chunks_;
  MergeSpace<PageVec<Chunk>> space_;
};

} // namespace pagetide
