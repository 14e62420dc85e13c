//===- uffd_engine.cpp - Page sets by the kernel's account of writes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs without instrumented code. There are no marks and no shadows,
// and interceptors only call libc. The pages that the kernel reports as written
// (write_tracking.h) are staged like marks.
//
// The kernel reports a page and protects it again in one step. So no thread is
// unsettled at a boundary, and nothing is carried.

#include "engines/uffd_engine.h"

#include "engines/staged_runs.h"
#include "engines/write_tracking.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_libc.h"

namespace pagetide {

constexpr uptr kEndOfMemory = uptr{1} << abi::kAddressBits;

namespace {
struct Uffd {
  MappingList mappings;
  u64 mappings_time;
  u64 shared_changes; ///< how many there were then
  PageVec<WrittenRun> runs;
  PageVec<UntrackedRange> untracked, warned;
  StagedRuns staged;
  PageVec<StagedWord> peeked; ///< what the last peek found
};
} // namespace

PAGETIDE_RECORDER_STATE static Uffd uffd;

//===- Mappings -----------------------------------------------------------===//

/// Notes memory that cannot be tracked, once. Skips mappings that vanished
/// while they were examined.
static void SayUntracked() {
  for (const UntrackedRange &u : uffd.untracked) {
    bool is_there = false;
    for (const Mapping &m : uffd.mappings.entries)
      is_there |= m.start <= u.begin && u.end <= m.start + m.bytes;
    if (is_there)
      NoteUntracked("uffd", u, uffd.warned);
  }
}

/// False if the mappings cannot be read. The recorder reports that.
static bool Track(bool take, bool say = true) {
  uffd.shared_changes = SharedChanges();
  if (ReadMappings(uffd.mappings, ScratchRange))
    return false;
  uffd.mappings_time = MonotonicNs();
  uffd.untracked.clear();
  TrackMappings(uffd.mappings, take, uffd.runs, uffd.untracked);
  // Report only those that still exist.
  if (say && !uffd.untracked.empty() &&
      !ReadMappings(uffd.mappings, ScratchRange))
    SayUntracked();
  return true;
}

/// True if there may be mappings that are not tracked. Private memory is found
/// by its pages. Shared memory is found by the program's call, or at the latest
/// after the time of option `mappings`.
static bool MustLookAtMappings() {
  return SharedChanges() != uffd.shared_changes ||
         MonotonicNs() - uffd.mappings_time >= GetFlags().mappings ||
         FoundNewMemory();
}

/// Moves the pages that were written to uffd.runs.
static int TakeAll() {
  uffd.runs.clear();
  if (MustLookAtMappings() && Track(true))
    return 0;
  return TakeWritten(0, kEndOfMemory, uffd.runs);
}

//===- The engine ---------------------------------------------------------===//

static const char *Start() {
  if (const char *missing = StartWriteTracking(true))
    return missing;
  uffd.staged.Clear();
  uffd.warned.clear();
  uffd.runs.clear();
  const bool tracked = Track(true, false);
  uffd.runs.clear(); // they were written before recording began
  if (tracked)
    return nullptr;
  StopWriteTracking();
  return "the list of mappings, /proc/thread-self/maps";
}

static bool Collect(bool ends_period) {
  if (int error = TakeAll())
    BailOut("the kernel no longer reports which pages were written: %s",
            DescribeErrno(error));
  return uffd.staged.Stage(uffd.runs, ends_period);
}

static void Recheck(PageVec<PageHash> &pages, bool (*)(u32 tid)) {
  if (pages.empty())
    return;
  uffd.runs.clear();
  const uptr begin = pages[0].granule << abi::kDefaultGranuleShift;
  const uptr end = (pages.back().granule + 1) << abi::kDefaultGranuleShift;
  const bool unknown = LookAtWritten(begin, end, uffd.runs) != 0;
  if (unknown)
    uffd.runs.push_back({begin >> abi::kDefaultGranuleShift,
                         (end - begin) >> abi::kDefaultGranuleShift,
                         trace::kKernelWritten});
  for (const WrittenRun &run : uffd.runs)
    for (uptr i = FirstPageAt(pages, run.first);
         i < pages.size() && pages[i].granule < run.first + run.count; ++i)
      MakeUnstable(pages[i]);
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  uffd.peeked.clear();
  uffd.runs.clear();
  // Pages of newly found shared memory that may have been written are reported
  // only once: stage them.
  Track(false);
  uffd.staged.Stage(uffd.runs, false);
  uffd.runs.clear();
  LookAtWritten(range.begin << abi::kDefaultGranuleShift,
                range.end << abi::kDefaultGranuleShift, uffd.runs);
  ForEachWord(uffd.runs, [&](u64 word, u64 value) {
    words.push_back({word, value});
    uffd.peeked.push_back({word, value});
    return true;
  });
  uffd.staged.Peek(range, words);
}

static bool Take(GranuleRange range) {
  bool ok = true;
  uffd.runs.clear();
  for (const StagedWord &peeked : uffd.peeked) {
    ok = ok && uffd.staged.StageEarly(peeked.word, peeked.value, false);
    for (u64 i = 0; i < kPagesPerWord; ++i)
      if (peeked.value >> (8 * i) & 0xff) {
        const uptr page = (peeked.word * kPagesPerWord + i)
                          << abi::kDefaultGranuleShift;
        TakeWritten(page, page + (uptr{1} << abi::kDefaultGranuleShift),
                    uffd.runs);
      }
  }
  uffd.staged.Hide(range);
  return ok;
}

const Engine &UffdEngine() {
  static const Engine kEngine = {
      Start, StopWriteTracking, Collect, Recheck, Peek, Take};
  return kEngine;
}

} // namespace pagetide
