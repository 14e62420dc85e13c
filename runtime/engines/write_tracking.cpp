//===- write_tracking.cpp - Written pages, by the kernel's account --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private memory (anonymous, or of a file) needs no protection while there is
// no page, or while the page is the file's or the page of zeros. The page that
// the kernel puts there for a write is unprotected. So a page that is present,
// private and unprotected was written. Only such pages are protected. The same
// holds for a new mapping: all of its present pages were written since it was
// made.
//
// In shared memory a page that was only read looks the same as a written one.
// So a shared mapping is protected as a whole when it is first seen. Of its
// pages that were touched before, nobody knows which were written.

#include "engines/write_tracking.h"

#include "pagetide/abi.h"
#include "periods/merge_ascending.h"
#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/internal_mem.h"
#include "platform/messages.h"
#include "platform/raw_thread.h"
#include "platform/uffd_wp.h"
#include "trace/pending_frames.h"

#include "pagetide/trace_format.h"
#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>

using namespace __sanitizer;

namespace pagetide {

using namespace kernel;
using trace::kKernelTouched;
using trace::kKernelWritten;

namespace {
struct Tracking {
  bool running;
  bool exclude_library;
  AsyncProtection kernel;
  int stop_event;
  RawThread event_reader;
  PageVec<AddressRange> own;
  PageVec<AddressRange> shared; ///< registered, as last looked up
  PageVec<WrittenRun> kept;     ///< for RemoveRanges
};
} // namespace

PAGETIDE_RECORDER_STATE static Tracking tracking;

//===- One mapping --------------------------------------------------------===//

void AddRun(PageVec<WrittenRun> &runs, uptr begin, uptr end, u8 flags) {
  const u64 first = begin >> kPageShift, count = (end - begin) >> kPageShift;
  if (!runs.empty()) {
    WrittenRun &last = runs.back();
    if (last.first + last.count == first && last.flags == flags) {
      last.count += count;
      return;
    }
  }
  runs.push_back({first, count, flags});
}

const char *WhyNotToTrack(const char *name) {
  if (StartsWith(name, "/dev/") && !StartsWith(name, "/dev/shm/") &&
      !StartsWith(name, "/dev/zero") && !StartsWith(name, "/dev/hugepages/"))
    return "memory of a device";
  if (StartsWith(name, "anon_inode:"))
    return "memory shared with the kernel";
  return nullptr;
}

bool IsKernelPage(const char *name) { return StartsWith(name, "[v"); }

constexpr u64 kNotYetCopied = kPagePfnZero | kPageFile;

/// Scans private memory. Returns an errno.
static int ScanPrivate(uptr begin, uptr end, u64 flags,
                       PageVec<WrittenRun> &runs) {
  return tracking.kernel.Scan(
      begin, end,
      {flags, kNotYetCopied, kPageWritten | kPageWpAllowed | kNotYetCopied,
       kPagePresent | kPageSwapped, kPageWritten},
      [&](const PageRegion &found) {
        AddRun(runs, found.start, found.end, kKernelWritten);
      });
}

/// Scans tracked shared memory. Includes pages that were written back or paged
/// out after they had been written.
static int ScanShared(uptr begin, uptr end, u64 flags,
                      PageVec<WrittenRun> &runs) {
  return tracking.kernel.Scan(
      begin, end, {flags, 0, kPageWritten, 0, kPageWritten},
      [&](const PageRegion &found) {
        AddRun(runs, found.start, found.end, kKernelWritten);
      });
}

static int TrackPrivate(uptr begin, uptr end, bool take,
                        PageVec<WrittenRun> &runs) {
  if (int error = tracking.kernel.Register(begin, end))
    return error;
  return take ? ScanPrivate(begin, end, kScanWpMatching, runs) : 0;
}

static int TrackShared(uptr begin, uptr end, bool take,
                       PageVec<WrittenRun> &runs) {
  bool registered = false;
  int error = tracking.kernel.Scan(
      begin, end, {0, 0, kPageWpAllowed, 0, kPageWpAllowed},
      [&](const PageRegion &) { registered = true; });
  if (error)
    return error;
  if (!registered) {
    if ((error = tracking.kernel.Register(begin, end)))
      return error;
    error = tracking.kernel.Scan(
        begin, end, {0, 0, 0, kPagePresent | kPageSwapped, kPagePresent},
        [&](const PageRegion &found) {
          AddRun(runs, found.start, found.end, kKernelTouched);
        });
    if (!error)
      error = tracking.kernel.Protect(begin, end);
  } else if (take) {
    error = ScanShared(begin, end, kScanWpMatching, runs);
  }
  if (!error)
    tracking.shared.push_back({begin, end});
  return error;
}

static const char *WhyFailed(int error) {
  switch (error) {
  case EBUSY:
    return "the program watches it by userfaultfd itself";
  case ENOMEM:
    return "memory or mappings (vm.max_map_count) ran out";
  default:
    return "the kernel refuses to watch it";
  }
}

namespace {
/// What TrackMappings was called with.
struct Look {
  bool take;
  PageVec<WrittenRun> &runs;
  PageVec<UntrackedRange> &untracked;
};
} // namespace

static void TrackMapping(const Mapping &m, const char *name, const Look &look) {
  const uptr end = m.start + m.bytes;
  if (IsKernelPage(name))
    return;
  if (const char *why = WhyNotToTrack(name)) {
    if (m.protection & PROT_WRITE)
      look.untracked.push_back({m.start, end, why});
    return;
  }
  if (m.shared) {
    // Protecting memory without pages needs page tables: 2 MiB per GiB.
    constexpr u64 kMaxShared = u64{64} << 30;
    if (!(m.protection & PROT_WRITE))
      return;
    if (m.bytes > kMaxShared)
      look.untracked.push_back(
          {m.start, end, "shared memory of more than 64 GiB"});
    else if (int error = TrackShared(m.start, end, look.take, look.runs))
      look.untracked.push_back({m.start, end, WhyFailed(error)});
    return;
  }
  // Track what is between the runtime's own ranges.
  uptr at = m.start;
  const auto track = [&](uptr to) {
    if (at < to)
      if (int error = TrackPrivate(at, to, look.take, look.runs))
        look.untracked.push_back({at, to, WhyFailed(error)});
  };
  for (const AddressRange &own : tracking.own) {
    if (own.end <= at || own.begin >= end)
      continue;
    track(own.begin);
    at = own.end;
  }
  track(end);
}

// Where this library is, defined by the linker.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

AddressRange OwnLibrary() {
  return {(uptr)__ehdr_start,
          ((uptr)_end + kPageBytes - 1) & ~(kPageBytes - 1)};
}

/// The runtime's own memory, sorted.
static void ListOwn() {
  ListOwnMemory(tracking.own);
  if (tracking.exclude_library)
    tracking.own.push_back(OwnLibrary());
  SortRanges(tracking.own);
}

void SortRanges(PageVec<AddressRange> &ranges) {
  // Insertion sort: they are few and nearly sorted.
  for (uptr i = 1; i < ranges.size(); ++i)
    for (uptr j = i; j && ranges[j].begin < ranges[j - 1].begin; --j) {
      const AddressRange t = ranges[j];
      ranges[j] = ranges[j - 1];
      ranges[j - 1] = t;
    }
}

void RemoveRanges(const PageVec<AddressRange> &ranges,
                  PageVec<WrittenRun> &runs, uptr first) {
  tracking.kept.clear();
  for (uptr i = first; i < runs.size(); ++i) {
    const uptr end = (runs[i].first + runs[i].count) << kPageShift;
    uptr at = runs[i].first << kPageShift;
    for (const AddressRange &range : ranges) {
      if (range.end <= at || range.begin >= end)
        continue;
      if (at < range.begin)
        AddRun(tracking.kept, at, range.begin, runs[i].flags);
      at = range.end;
    }
    if (at < end)
      AddRun(tracking.kept, at, end, runs[i].flags);
  }
  runs.resize(first);
  for (const WrittenRun &run : tracking.kept)
    runs.push_back(run);
}

/// Removes the runtime's own memory from runs[first] on. The writer's thread
/// may have mapped memory since the mappings were read, and at an address that
/// was not the runtime's then.
static void RemoveOwnRuns(PageVec<WrittenRun> &runs, uptr first) {
  if (runs.size() == first)
    return;
  ListOwn();
  RemoveRanges(tracking.own, runs, first);
}

void TrackMappings(const MappingList &mappings, bool take,
                   PageVec<WrittenRun> &runs,
                   PageVec<UntrackedRange> &untracked) {
  const uptr before = runs.size();
  ListOwn();
  tracking.shared.clear();
  for (const Mapping &m : mappings.entries)
    TrackMapping(m, mappings.NameOf(m), {take, runs, untracked});
  RemoveOwnRuns(runs, before);
}

//===- What is tracked already --------------------------------------------===//

/// Whether the runtime's own memory covers the range.
static bool IsOwn(uptr begin, uptr end) {
  for (const AddressRange &own : tracking.own)
    if (own.begin <= begin && begin < own.end)
      begin = own.end;
  return begin >= end;
}

/// Calls found(kernel::PageRegion) for private memory that was written and is
/// not tracked. Returns an errno.
template <typename Found> static int ScanNew(Found found) {
  constexpr u64 kNot = kPageWpAllowed | kNotYetCopied;
  return tracking.kernel.Scan(
      kPageBytes, uptr{1} << abi::kAddressBits,
      {0, kNot, kNot, kPagePresent | kPageSwapped, kPageWpAllowed}, found);
}

bool FoundNewMemory() {
  ListOwn();
  bool found_some = false;
  const int error = ScanNew([&](const PageRegion &found) {
    found_some |= !IsOwn(found.start, found.end);
  });
  return error || found_some;
}

int ListNewMemory(PageVec<WrittenRun> &runs) {
  const uptr before = runs.size();
  const int error = ScanNew([&](const PageRegion &found) {
    AddRun(runs, found.start, found.end, kKernelWritten);
  });
  RemoveOwnRuns(runs, before);
  return error;
}

void UniteWritten(PageVec<WrittenRun> &runs) {
  PAGETIDE_RECORDER_STATE static MergeSpace<PageVec<WrittenRun>> space;
  MergeAscending(
      runs, space,
      [](const WrittenRun &a, const WrittenRun &b) {
        return a.first < b.first;
      },
      [](PageVec<WrittenRun> &list, uptr, const WrittenRun &run) {
        list.push_back(run);
      });
  uptr united = 0;
  for (const WrittenRun &run : runs) {
    WrittenRun &last = runs[united ? united - 1 : 0];
    const u64 last_end = last.first + last.count;
    const u64 end = run.first + run.count;
    if (!united || last_end < run.first ||
        (last_end == run.first && last.flags != run.flags)) {
      runs[united++] = run;
      continue;
    }
    last.count = Max(last_end, end) - last.first;
    last.flags |= run.flags;
  }
  runs.resize(united);
}

static int ScanTracked(uptr begin, uptr end, u64 flags,
                       PageVec<WrittenRun> &runs) {
  const uptr before = runs.size();
  int error = ScanPrivate(begin, end, flags, runs);
  for (const AddressRange &shared : tracking.shared) {
    const uptr from = shared.begin > begin ? shared.begin : begin;
    const uptr to = shared.end < end ? shared.end : end;
    if (from < to && !error)
      error = ScanShared(from, to, flags, runs);
  }
  RemoveOwnRuns(runs, before);
  return error;
}

int TakeWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs) {
  return ScanTracked(begin, end, kScanWpMatching, runs);
}

int LookAtWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs) {
  return ScanTracked(begin, end, 0, runs);
}

void NoteUntracked(const char *engine, const UntrackedRange &range,
                   PageVec<UntrackedRange> &told) {
  for (const UntrackedRange &t : told)
    if (t.begin == range.begin && t.end == range.end)
      return;
  told.push_back(range);
  Reason text;
  internal_snprintf(text.text, sizeof(text.text),
                    "writes to 0x%zx-0x%zx are not seen by engine %s: %s",
                    range.begin, range.end, engine, range.why);
  NoteLost(text.text);
}

//===- Begin and end ------------------------------------------------------===//

/// With events of moved mappings, protection moves along, and a move does not
/// look like a write. But a thread that moves a mapping waits until its event
/// has been read. This thread only reads events.
static void ReadEvents(void *) {
  pollfd fds[2] = {{tracking.kernel.Uffd(), POLLIN, 0},
                   {tracking.stop_event, POLLIN, 0}};
  for (;;) {
    Syscall(SYS_ppoll, (uptr)fds, 2, 0, 0);
    if (fds[1].revents)
      return;
    u8 events[32 * 16]; // of struct uffd_msg
    while (!Failed(Syscall(SYS_read, (uptr)tracking.kernel.Uffd(), (uptr)events,
                           sizeof(events))))
      ;
  }
}

static const char *StartReader() {
  tracking.event_reader = {};
  tracking.event_reader.run = ReadEvents;
  tracking.event_reader.name = "pagetide-uffd";
  tracking.event_reader.share_fds = true;
  const int error = StartRawThread(tracking.event_reader);
  return error ? Missing("a thread", error) : nullptr;
}

static void EndReader() {
  u64 count = 1;
  Syscall(SYS_write, (uptr)tracking.stop_event, (uptr)&count, sizeof(count));
  JoinRawThread(tracking.event_reader);
  Syscall(SYS_read, (uptr)tracking.stop_event, (uptr)&count, sizeof(count));
}

static const char *OpenAll() {
  if (const char *missing = tracking.kernel.Open(kFeatureEventRemap))
    return missing;
  const uptr event = Syscall(SYS_eventfd2, 0, EFD_CLOEXEC);
  if (Failed(event))
    return Missing("eventfd", ErrnoOf(event));
  tracking.stop_event = (int)event;
  return StartReader();
}

static void CloseAll() {
  tracking.kernel.Close();
  if (tracking.stop_event)
    Syscall(SYS_close, (uptr)tracking.stop_event);
  tracking.stop_event = 0;
}

const char *StartWriteTracking(bool exclude_library) {
  if (const char *missing = OpenAll()) {
    CloseAll();
    return missing;
  }
  // The first write to a huge page would count as a write to all of it.
  // Existing huge pages are split at their first write.
  Syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
  tracking.exclude_library = exclude_library;
  tracking.running = true;
  return nullptr;
}

void StopWriteTracking() {
  if (!tracking.running)
    return;
  tracking.running = false;
  EndReader();
  CloseAll();
}

void PauseWriteTracking() {
  if (tracking.running)
    EndReader();
}

void ResumeWriteTracking() {
  const char *missing = tracking.running ? StartReader() : nullptr;
  if (missing)
    BailOut("the reader of moved mappings cannot be started: %s", missing);
}

} // namespace pagetide
