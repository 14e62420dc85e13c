//===- early_marks.cpp - Marks staged before their period ends ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/early_marks.h"

namespace pagetide {

constexpr uptr kFirstSize = 1024;

EarlyMarks::Entry &EarlyMarks::Find(u32 tid, u64 word) {
  // Fibonacci hashing: the high bits of the product are well mixed.
  u64 hash = (word ^ (u64)tid << 40) * 0x9E3779B97F4A7C15ull;
  uptr mask = table_.size() - 1;
  for (uptr i = hash >> 20;; ++i) {
    Entry &entry = table_[i & mask];
    if (!entry.record || (entry.tid == tid && entry.record->word == word))
      return entry;
  }
}

void EarlyMarks::Grow() {
  PageVec<Entry> old;
  old.resize(table_.empty() ? kFirstSize : table_.size() * 2);
  old.swap(table_);
  for (Entry &entry : table_)
    entry = {};
  for (const Entry &entry : old)
    if (entry.record)
      Find(entry.tid, entry.record->word) = entry;
  old.Free();
}

StagedWord *EarlyMarks::Add(u32 tid, u64 word, u64 value, bool visible) {
  if ((used_ + 1) * 2 > table_.size())
    Grow();
  Entry &entry = Find(tid, word);
  if (entry.record) {
    entry.record->value |= value;
  } else {
    StagedWord *record =
        StagingCursor(tid, shadow_file::ChunkKind::kMarks).Add(word, value);
    if (!record)
      return nullptr;
    entry = {record, tid, 0};
    ++used_;
  }
  if (visible)
    entry.visible |= value;
  return entry.record;
}

StagedWord *EarlyMarks::AddSites(u32 tid, u64 word, u64 value) {
  if ((used_ + 1) * 2 > table_.size())
    Grow();
  Entry &entry = Find(tid, word);
  if (entry.record) {
    entry.record->value = abi::join_sites(entry.record->value, value);
    return entry.record;
  }
  StagedWord *record =
      StagingCursor(tid, shadow_file::ChunkKind::kSites).Add(word, value);
  if (!record)
    return nullptr;
  entry = {record, tid, 0};
  ++used_;
  return record;
}

void EarlyMarks::Clear() {
  // Free a table that one busy period has made large.
  if (table_.size() > 64 * kFirstSize)
    table_.Free();
  for (Entry &entry : table_)
    entry = {};
  used_ = 0;
}

} // namespace pagetide
