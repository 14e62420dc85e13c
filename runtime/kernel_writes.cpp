//===- kernel_writes.cpp - Which pages the kernel saw written -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private memory (anonymous, or of a file) needs no protection where there is
// no page yet, nor while a page is still the file's or the page of zeros: what
// the kernel puts there for a write comes unprotected. So a page that is
// present, private and unprotected was written, and those alone are protected.
//
// In shared memory a page that was only read looks the same as a written one,
// so all of a mapping is protected when it is first seen. Of pages touched
// before that it is not known which were written.
//
//===----------------------------------------------------------------------===//

#include "kernel_writes.h"

#include "messages.h"
#include "raw_thread.h"
#include "recorder_state.h"
#include "threads.h"
#include "trace_encode.h"

#include "pagetide/pagemap_scan.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace kernel;
using namespace trace;
using shadow_file::kOrphanSlot;
using shadow_file::SlotState;

constexpr uptr kPageShift = 12;
constexpr uptr kPageBytes = uptr{1} << kPageShift;

namespace {
struct PageRun {
  u64 first, count;
  u8 flags; ///< KernelRunFlags
};

/// A mapping, or part of one, that cannot be watched.
struct Unwatched {
  uptr begin, end;
  const char *why;
};

struct ThreadRegion {
  ThreadArea area;
  u32 tid;
};

struct State {
  bool running;
  int uffd, pagemap, stop_event;
  RawThread event_reader;
  PageVec<PageRegion> found;
  PageVec<PageRun> runs;
  PageVec<AddressRange> own;
  PageVec<Unwatched> unwatched, unwatched_before;
  PageVec<ThreadRegion> ended_threads;
  PageVec<u8> regions, regions_before; ///< payloads but for the time
};
} // namespace

PAGETIDE_RECORDER_STATE static State state;

//===- Requests to the kernel ---------------------------------------------===//

template <typename T>
static int Request(int fd, unsigned long number, T &argument) {
  return ErrnoOf(Syscall(SYS_ioctl, (uptr)fd, number, (uptr)&argument));
}

/// Calls take(region) for what is found in [begin, end). Returns 0 or an errno.
template <typename Take>
static int Scan(uptr begin, uptr end, u64 flags, u64 inverted, u64 all, u64 any,
                u64 wanted, Take take) {
  constexpr uptr kMostFound = 4096;
  state.found.resize(kMostFound);
  while (begin < end) {
    ScanArgument argument = {};
    argument.size = sizeof(argument);
    argument.flags = flags;
    argument.start = begin;
    argument.end = end;
    argument.vector = (uptr)state.found.data();
    argument.vector_length = kMostFound;
    argument.category_inverted = inverted;
    argument.category_mask = all;
    argument.category_anyof_mask = any;
    argument.return_mask = wanted;
    uptr n =
        Syscall(SYS_ioctl, (uptr)state.pagemap, kPagemapScan, (uptr)&argument);
    if (ErrnoOf(n) == EINTR || ErrnoOf(n) == EAGAIN)
      continue;
    if (Failed(n))
      return ErrnoOf(n);
    for (uptr i = 0; i < n; ++i)
      take(state.found[i]);
    if (argument.walk_end <= begin)
      return EIO; // no kernel does that; an endless loop would be worse
    begin = argument.walk_end;
  }
  return 0;
}

static void AddRun(uptr begin, uptr end, u8 flags) {
  const u64 first = begin >> kPageShift, count = (end - begin) >> kPageShift;
  if (!state.runs.empty()) {
    PageRun &last = state.runs.back();
    if (last.first + last.count == first && last.flags == flags) {
      last.count += count;
      return;
    }
  }
  state.runs.push_back({first, count, flags});
}

static int Register(uptr begin, uptr end) {
  UffdRegister range = {begin, end - begin, kRegisterModeWp, 0};
  return Request(state.uffd, kUffdIoRegister, range);
}

static int ProtectAll(uptr begin, uptr end) {
  UffdWriteProtect range = {begin, end - begin, kWriteProtectModeWp};
  int error;
  // EAGAIN: another thread moves a mapping just now.
  while ((error = Request(state.uffd, kUffdIoWriteProtect, range)) == EAGAIN)
    Syscall(SYS_sched_yield);
  return error;
}

//===- One mapping --------------------------------------------------------===//

static bool StartsWith(const char *text, const char *head) {
  return !internal_strncmp(text, head, internal_strlen(head));
}

/// Why a mapping must not be touched; null where it may.
static const char *WhyNotToWatch(const char *name) {
  if (StartsWith(name, "/dev/") && !StartsWith(name, "/dev/shm/") &&
      !StartsWith(name, "/dev/zero") && !StartsWith(name, "/dev/hugepages/"))
    return "memory of a device";
  if (StartsWith(name, "anon_inode:"))
    return "memory shared with the kernel";
  return nullptr;
}

/// [vdso], [vvar] and their like: the kernel's, and nobody writes them.
static bool IsKernelPage(const char *name) { return StartsWith(name, "[v"); }

/// A range of private memory. Returns an errno.
static int CollectPrivate(uptr begin, uptr end) {
  if (int error = Register(begin, end))
    return error;
  constexpr u64 kNotYetCopied = kPagePfnZero | kPageFile;
  return Scan(begin, end, kScanWpMatching, kNotYetCopied,
              kPageWritten | kNotYetCopied, kPagePresent | kPageSwapped,
              kPageWritten, [](const PageRegion &found) {
                AddRun(found.start, found.end, kKernelWritten);
              });
}

static int CollectShared(uptr begin, uptr end) {
  bool registered = false;
  int error = Scan(begin, end, 0, 0, kPageWpAllowed, 0, kPageWpAllowed,
                   [&](const PageRegion &) { registered = true; });
  if (error)
    return error;
  if (registered) // pages written and since written back or paged out too
    return Scan(begin, end, kScanWpMatching, 0, kPageWritten, 0, kPageWritten,
                [](const PageRegion &found) {
                  AddRun(found.start, found.end, kKernelWritten);
                });
  if ((error = Register(begin, end)))
    return error;
  error = Scan(begin, end, 0, 0, 0, kPagePresent | kPageSwapped, kPagePresent,
               [](const PageRegion &found) {
                 AddRun(found.start, found.end, kKernelTouched);
               });
  return error ? error : ProtectAll(begin, end);
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

/// A mapping that vanishes while it is looked at fails too: only one that fails
/// twice is told of.
static void AddUnwatched(uptr begin, uptr end, const char *why) {
  state.unwatched.push_back({begin, end, why});
}

static void CollectMapping(const Mapping &m, const char *name) {
  const uptr end = m.start + m.bytes;
  if (IsKernelPage(name))
    return;
  if (const char *why = WhyNotToWatch(name)) {
    if (m.protection & PROT_WRITE)
      AddUnwatched(m.start, end, why);
    return;
  }
  if (m.shared) {
    // Protecting where there are no pages takes page tables: 2 MiB a GiB.
    constexpr u64 kMostShared = u64{64} << 30;
    if (!(m.protection & PROT_WRITE))
      return;
    if (m.bytes > kMostShared)
      AddUnwatched(m.start, end, "shared memory of more than 64 GiB");
    else if (int error = CollectShared(m.start, end))
      AddUnwatched(m.start, end, WhyFailed(error));
    return;
  }
  // What is between the runtime's own ranges.
  uptr at = m.start;
  const auto collect = [&](uptr to) {
    if (at < to)
      if (int error = CollectPrivate(at, to))
        AddUnwatched(at, to, WhyFailed(error));
  };
  for (const AddressRange &own : state.own) {
    if (own.end <= at || own.begin >= end)
      continue;
    collect(own.begin);
    at = own.end;
  }
  collect(end);
}

static void CollectAll(const MappingList &mappings) {
  ListOwnMemory(state.own);
  // Few, and nearly sorted.
  for (uptr i = 1; i < state.own.size(); ++i)
    for (uptr j = i; j && state.own[j].begin < state.own[j - 1].begin; --j) {
      const AddressRange t = state.own[j];
      state.own[j] = state.own[j - 1];
      state.own[j - 1] = t;
    }
  state.runs.clear();
  state.unwatched_before.swap(state.unwatched);
  state.unwatched.clear();
  for (const Mapping &m : mappings.entries)
    CollectMapping(m, mappings.NameOf(m));
}

//===- Frames -------------------------------------------------------------===//

static void EncodeRegion(Encoder &encoder, RegionKind kind, uptr begin,
                         uptr end, u32 tid, const char *text) {
  encoder.Byte((u8)kind);
  encoder.Varint(begin);
  encoder.Varint(end - begin);
  encoder.Varint(tid);
  encoder.String(text);
}

void RememberThreadArea(u32 slot) {
  if (!state.running)
    return;
  const ThreadArea area = AreaOfSlot(slot);
  if (area.bytes)
    state.ended_threads.push_back({area, shadow.slots[slot].tid});
}

static void EncodeThread(Encoder &encoder, const ThreadArea &area, u32 tid) {
  EncodeRegion(encoder,
               area.is_stack ? RegionKind::kThreadStack
                             : RegionKind::kThreadLocal,
               area.begin, area.begin + area.bytes, tid, "");
}

static bool SameBytes(const PageVec<u8> &a, const PageVec<u8> &b) {
  return a.size() == b.size() &&
         (a.empty() || !internal_memcmp(a.data(), b.data(), a.size()));
}

static void EncodeRegions(PageVec<u8> &frames, u64 now) {
  PAGETIDE_RECORDER_STATE static PageVec<u8> entries;
  entries.clear();
  Encoder encoder(entries);
  u64 count = 0;
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    const ThreadArea area = AreaOfSlot(slot);
    if (slot == kOrphanSlot || !area.bytes ||
        LoadAcquire(&entry.state) == (u32)SlotState::kFree)
      continue;
    EncodeThread(encoder, area, entry.tid);
    ++count;
  }
  // Looked at after the pages: a call that has returned by now has marked.
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    const u64 bytes = LoadAcquire(&entry.inflight_bytes);
    const u64 begin = LoadAcquire(&entry.inflight_address);
    if (!bytes || !InShadowedRange(begin, bytes))
      continue;
    EncodeRegion(encoder, RegionKind::kInFlight, begin, begin + bytes,
                 entry.tid, "");
    ++count;
  }
  for (const ThreadRegion &ended : state.ended_threads) {
    EncodeThread(encoder, ended.area, ended.tid);
    ++count;
  }
  state.ended_threads.clear();
  for (const Unwatched &u : state.unwatched)
    for (const Unwatched &before : state.unwatched_before)
      if (u.begin < before.end && before.begin < u.end) {
        EncodeRegion(encoder, RegionKind::kUnseen, u.begin, u.end, 0, u.why);
        ++count;
        break;
      }
  state.regions.clear();
  Encoder(state.regions).Varint(count);
  for (u8 byte : entries)
    state.regions.push_back(byte);
  if (SameBytes(state.regions, state.regions_before))
    return;
  uptr frame = BeginPendingFrame(frames, FrameType::kRegions);
  Encoder(frames).Varint(now);
  for (u8 byte : state.regions)
    frames.push_back(byte);
  EndPendingFrame(frames, frame);
  state.regions.swap(state.regions_before);
}

static void EncodeRuns(PageVec<u8> &frames, u64 period, bool leaving, u64 now) {
  constexpr uptr kMostRunBytes = 2 * 8 + 1;
  constexpr uptr kRunsOfPart = kPartBytes / kMostRunBytes;
  uptr next = 0;
  do {
    const uptr left = state.runs.size() - next;
    const uptr count = left < kRunsOfPart ? left : kRunsOfPart;
    uptr frame = BeginPendingFrame(frames, FrameType::kKernelWrites);
    Encoder encoder(frames);
    encoder.Varint(period);
    encoder.Byte((count == left ? kPartLast : 0) |
                 (leaving ? kPartLeaving : 0));
    encoder.Varint(now);
    encoder.Varint(count);
    u64 at = 0;
    for (uptr end = next + count; next < end; ++next) {
      const PageRun &run = state.runs[next];
      encoder.Varint(run.first - at);
      encoder.Varint(run.count - 1);
      encoder.Byte(run.flags);
      at = run.first + run.count;
    }
    EndPendingFrame(frames, frame);
  } while (next < state.runs.size());
}

void CollectKernelWrites(u64 period, bool leaving, const MappingList &mappings,
                         PageVec<u8> &frames) {
  CollectAll(mappings);
  const u64 now = MonotonicNs();
  EncodeRegions(frames, now);
  EncodeRuns(frames, period, leaving, now);
}

//===- Begin and end ------------------------------------------------------===//

/// With events of moved mappings their protection moves along, and a move is
/// not taken for a write. But whoever moves one waits until its event has been
/// read: that is all this thread does.
static void ReadEvents(void *) {
  pollfd fds[2] = {{state.uffd, POLLIN, 0}, {state.stop_event, POLLIN, 0}};
  for (;;) {
    Syscall(SYS_poll, (uptr)fds, 2, (uptr)-1);
    if (fds[1].revents)
      return;
    u8 events[32 * 16]; // of struct uffd_msg
    while (!Failed(
        Syscall(SYS_read, (uptr)state.uffd, (uptr)events, sizeof(events))))
      ;
  }
}

static const char *Missing(const char *what, int error) {
  // Handed out at once, before another can be made.
  static char text[256];
  internal_snprintf(text, sizeof(text), "%s: %s", what, DescribeErrno(error));
  return text;
}

static int Open(uptr result, int &fd) {
  fd = Failed(result) ? -1 : (int)result;
  return ErrnoOf(result);
}

static void CloseAll() {
  const int fds[] = {state.uffd, state.pagemap, state.stop_event};
  for (int fd : fds)
    if (fd >= 0)
      Syscall(SYS_close, (uptr)fd);
}

static const char *OpenAll() {
  state.uffd = state.pagemap = state.stop_event = -1;
  if (int error =
          Open(Syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly),
               state.uffd))
    return Missing("userfaultfd", error);
  UffdApi api = {kUffdApiVersion,
                 kFeaturePagefaultFlagWp | kFeatureEventRemap |
                     kFeatureWpHugetlbfsShmem | kFeatureWpUnpopulated |
                     kFeatureWpAsync,
                 0};
  if (int error = Request(state.uffd, kUffdIoApi, api))
    return Missing("userfaultfd's asynchronous write protection (Linux 6.7)",
                   error);
  if (int error = Open(Syscall(SYS_openat, (uptr)AT_FDCWD,
                               (uptr) "/proc/thread-self/pagemap",
                               O_RDONLY | O_CLOEXEC),
                       state.pagemap))
    return Missing("/proc/thread-self/pagemap", error);
  if (int error = Scan(kPageBytes, 2 * kPageBytes, 0, 0, kPageWritten, 0,
                       kPageWritten, [](const PageRegion &) {}))
    return Missing("the request PAGEMAP_SCAN of /proc/thread-self/pagemap "
                   "(Linux 6.7)",
                   error);
  if (int error = Open(Syscall(SYS_eventfd2, 0, EFD_CLOEXEC), state.stop_event))
    return Missing("eventfd", error);
  state.event_reader = {};
  state.event_reader.run = ReadEvents;
  state.event_reader.name = "pagetide-uffd";
  state.event_reader.share_fds = true;
  if (int error = StartRawThread(state.event_reader))
    return Missing("a thread", error);
  return nullptr;
}

const char *StartKernelWrites(const MappingList &mappings) {
  if (const char *missing = OpenAll()) {
    CloseAll();
    return missing;
  }
  // A huge page would be one write wide. Its like that are there already are
  // split at their first write.
  Syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
  state.regions_before.clear();
  state.ended_threads.clear();
  CollectAll(mappings);
  state.runs.clear(); // written before recording began
  state.running = true;
  return nullptr;
}

bool WatchingKernelWrites() { return state.running; }

void StopKernelWrites() {
  if (!state.running)
    return;
  state.running = false;
  u64 one = 1;
  Syscall(SYS_write, (uptr)state.stop_event, (uptr)&one, sizeof(one));
  JoinRawThread(state.event_reader);
  CloseAll();
}

} // namespace pagetide
