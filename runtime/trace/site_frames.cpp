//===- site_frames.cpp - Sites in the trace -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/site_frames.h"

#include "platform/exports.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "shadow/call_sites.h"
#include "threads/service_thread.h"
#include "trace/pending_frames.h"
#include "trace/trace_writer.h"

#include "sanitizer_common/sanitizer_libc.h"

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

namespace {
/// The table of an object file.
struct SiteTable {
  const u8 *payload; ///< null: its file was closed
  uptr bytes;
};
} // namespace

PAGETIDE_ZERO_IN_CHILD static Lock lock; ///< of the list
static PageVec<SiteTable> tables;
/// Not 0 if tables have been added that the trace may not have.
static u32 tables_came;
/// How many of the list the trace has.
PAGETIDE_RECORDER_STATE static uptr told_tables;
/// How many call sites the trace has, in the order in which they were seen.
PAGETIDE_RECORDER_STATE static u32 told_calls;

void ForgetSiteTables() {
  RawThreadLock hold(lock);
  told_tables = 0;
  told_calls = 0;
  StoreRelease(&tables_came, 1);
}

/// A table that is about to go although the trace does not have it yet.
static void CopyTable(SiteTable &table) {
  u8 *copy = (u8 *)MapAnonymous(table.bytes, false);
  if (copy)
    internal_memcpy(copy, table.payload, table.bytes);
  table.payload = copy;
}

static void AddTables(PageVec<u8> &frames) {
  RawThreadLock hold(lock);
  for (; told_tables < tables.size(); ++told_tables) {
    const SiteTable &table = tables[told_tables];
    if (!table.payload)
      continue;
    if (table.bytes > kMaxFrameBytes) {
      NoteLost("a module's table of sites is too long for a trace");
      continue;
    }
    const uptr frame = BeginPendingFrame(frames, FrameType::kSiteTable);
    const uptr at = frames.size();
    frames.resize(at + table.bytes);
    internal_memcpy(&frames[at], table.payload, table.bytes);
    EndPendingFrame(frames, frame);
  }
}

void WriteNewSiteTables() {
  if (!Tracing() || !__atomic_exchange_n(&tables_came, 0, __ATOMIC_ACQ_REL))
    return;
  PAGETIDE_RECORDER_STATE static PageVec<u8> frames;
  frames.clear();
  AddTables(frames);
  if (!frames.empty())
    WriteFramesNow(frames);
}

/// The mapping of a file that holds the address; null if there is none.
static const Mapping *FileAt(const MappingList &mappings, u64 address) {
  for (const Mapping &mapping : mappings.entries)
    if (address - mapping.start < mapping.bytes)
      return *mappings.NameOf(mapping) ? &mapping : nullptr;
  return nullptr;
}

static void AddCall(const MappingList &mappings, u64 address, u32 id,
                    PageVec<u8> &frames) {
  const Mapping *file = FileAt(mappings, address);
  const uptr frame = BeginPendingFrame(frames, FrameType::kSiteTable);
  Encoder encoder(frames);
  encoder.site_table(2);
  encoder.string(TextOf(""));
  encoder.string(TextOf(file ? mappings.NameOf(*file) : ""));
  encoder.site_count(1);
  encoder.site(id, kSiteReturn);
  encoder.site_place(0, 1,
                     file ? address - file->start + file->offset : address, 0);
  encoder.site_callers(0);
  EndPendingFrame(frames, frame);
}

void AddSiteFrames(const MappingList &mappings, PageVec<u8> &frames) {
  AddTables(frames);
  u64 address;
  u32 id;
  for (; SeenCallSite(told_calls, address, id); ++told_calls)
    AddCall(mappings, address, id, frames);
}

} // namespace pagetide

using namespace pagetide;

PAGETIDE_EXPORT void __pagetide_add_sites(const void *table, uptr bytes) {
  {
    ScopedLock hold(lock);
    tables.push_back({(const u8 *)table, bytes});
  }
  if (!__atomic_exchange_n(&tables_came, 1, __ATOMIC_ACQ_REL))
    WakeRecorder();
}

PAGETIDE_EXPORT void __pagetide_remove_sites(const void *table) {
  ScopedLock hold(lock);
  for (uptr i = 0; i < tables.size(); ++i) {
    if (tables[i].payload != table)
      continue;
    if (ControlReady() && i >= told_tables)
      CopyTable(tables[i]);
    else
      tables[i].payload = nullptr;
  }
}
