//===- shared_memory.cpp - Pages that others may write --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/shared_memory.h"

#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/program_memory.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"
#include "threads/sharing_threads.h"

#include <fcntl.h>
#include <sys/syscall.h>

namespace pagetide {

using Visit = void (*)(PageHash &);

PAGETIDE_RECORDER_STATE static const MappingList *known;
PAGETIDE_RECORDER_STATE static u64 changes_at_look;
PAGETIDE_RECORDER_STATE static PageVec<AddressRange> shared_ranges;
PAGETIDE_RECORDER_STATE static PageVec<MappingChange> changes;
/// The last look did not see all of them, nor their files.
PAGETIDE_RECORDER_STATE static bool any_new;

static bool IsShared(uptr address) {
  for (const AddressRange &range : shared_ranges)
    if (address >= range.begin && address < range.end)
      return true;
  return false;
}

/// Lists the shared mappings that were known at the last look, and then those
/// that the program has made since. What it has unmapped since stays in the
/// list. False if too much has changed.
static bool ListShared() {
  shared_ranges.clear();
  any_new = false;
  for (const Mapping &m : known->entries)
    if (m.shared)
      shared_ranges.push_back({m.start, m.start + m.bytes});
  changes.clear();
  if (!ListSharedChanges(changes_at_look, changes))
    return false;
  for (const MappingChange &change : changes)
    if (change.writers == Writers::kShared || IsShared(change.moved_from)) {
      shared_ranges.push_back({change.begin, change.end});
      any_new = true;
    }
  return true;
}

//===- Private mappings of files ------------------------------------------===//

namespace {
/// Tells which pages are the process's own copies.
class PageTable {
public:
  PageTable() = default;
  ~PageTable() {
    if (is_open_ && !Failed(fd_))
      Syscall(SYS_close, fd_);
  }
  PageTable(const PageTable &) = delete;
  PageTable &operator=(const PageTable &) = delete;

  /// False if it cannot be known.
  bool IsCopied(uptr page) {
    constexpr u64 kPresent = u64{1} << 63, kSwapped = u64{1} << 62;
    constexpr u64 kOfFile = u64{1} << 61;
    // A filter may end the process for a call that only this makes.
    if (UnderSystemCallFilter())
      return false;
    if (!is_open_)
      fd_ = Syscall(SYS_openat, (uptr)AT_FDCWD,
                    (uptr) "/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
    is_open_ = true;
    u64 entry;
    return !Failed(fd_) &&
           Syscall(SYS_pread64, fd_, (uptr)&entry, sizeof(entry),
                   page / kPageBytes * sizeof(entry)) == sizeof(entry) &&
           (entry & (kPresent | kSwapped)) && !(entry & kOfFile);
  }

private:
  uptr fd_ = 0;
  bool is_open_ = false;
};
} // namespace

/// Visits the pages of the range that are those of the file.
static void VisitNotCopied(PageVec<PageHash> &pages, uptr begin, uptr end,
                           PageTable &table, Visit visit) {
  ForPages(pages, UnitOf(begin), UnitOf(end - 1) + 1, [&](PageHash &unit) {
    const uptr first = unit.granule << shadow.unit_shift;
    const uptr unit_end = first + (uptr{1} << shadow.unit_shift);
    for (uptr page = PageDown(first > begin ? first : begin);
         page < unit_end && page < end; page += kPageBytes)
      if (!table.IsCopied(page))
        return visit(unit);
  });
}

static bool HaveSameFile(const Mapping &a, const Mapping &b) {
  return a.inode == b.inode && a.device == b.device;
}

/// Visits what of a private mapping a shared one may change.
static void VisitFileOf(const Mapping &m, const MappingList &known,
                        PageVec<PageHash> &pages, PageTable &table,
                        Visit visit) {
  for (const Mapping &other : known.entries) {
    if (!other.shared || !HaveSameFile(m, other))
      continue;
    const u64 from = other.offset > m.offset ? other.offset : m.offset;
    const u64 other_end = other.offset + other.bytes;
    const u64 end = m.offset + m.bytes;
    const u64 to = other_end < end ? other_end : end;
    if (from < to)
      VisitNotCopied(pages, m.start + (from - m.offset),
                     m.start + (to - m.offset), table, visit);
  }
}

/// Of what was mapped since the last look, nobody knows the file. It counts as
/// a mapping of every file.
static void VisitFilePages(const MappingList &known, PageVec<PageHash> &pages,
                           Visit visit) {
  PageTable table;
  for (const Mapping &m : known.entries)
    if (m.shared || !m.inode || m.bss)
      continue;
    else if (any_new)
      VisitNotCopied(pages, m.start, m.start + m.bytes, table, visit);
    else
      VisitFileOf(m, known, pages, table, visit);
  for (const MappingChange &change : changes)
    if (change.writers == Writers::kFile || change.moved_from)
      VisitNotCopied(pages, change.begin, change.end, table, visit);
}

/// Whether all calls that began before have been noted.
static bool AwaitSharedChanges() {
  constexpr u64 kStepNs = 20 * 1000, kMaxNs = kNsPerMs;
  for (u64 waited = 0; AnySharedChangeUnderWay(); waited += kStepNs) {
    if (waited >= kMaxNs)
      return false;
    SleepNs(kStepNs);
  }
  return true;
}

bool AnotherProcessRunsHere() {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    if (LoadAcquire(&entry.state) == (u32)SlotState::kLive && entry.process &&
        entry.process != ServedProcess())
      return true;
  }
  return SharedByProcess();
}

void ForPagesOfOthers(PageVec<PageHash> &pages, Visit visit) {
  if (!AwaitSharedChanges() || !ListShared()) {
    for (PageHash &page : pages)
      visit(page);
    return;
  }
  if (shared_ranges.empty())
    return;
  for (const AddressRange &range : shared_ranges)
    ForPages(pages, UnitOf(range.begin), UnitOf(range.end - 1) + 1, visit);
  VisitFilePages(*known, pages, visit);
}

void SetMappingsOfPeriod(const MappingList &list, u64 shared_changes) {
  known = &list;
  changes_at_look = shared_changes;
}

} // namespace pagetide
