//===- cut.cpp - A period that ends at one instant ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/cut.h"

#include "periods/settled.h"
#include "periods/staging.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/options.h"
#include "recorder/checksums.h"
#include "threads/blocked_call.h"
#include "threads/service_thread.h"
#include "threads/stopped_threads.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/syscall.h>
#include <time.h>

namespace pagetide {

using namespace trace;

/// Rounds of reading ahead, after the first reading.
constexpr u64 kMaxRounds = 3;
/// So few pages are read while the threads stand rather than in a round.
constexpr u64 kFewPages = 32;
/// How often a period tries to make its cut, and how often a stop starts again
/// because a thread woke.
constexpr int kMaxStops = 3, kMaxRepeats = 4;

namespace {
/// A rule that option cut_without leaves out, so that tests can show that it is
/// needed.
enum class Rule { kMarked, kUnsettled, kInFlight, kDiscarded, kRepeat };

struct Cpu {
  u32 tid;
  u64 cpu_ns;
};
} // namespace

/// A page of result.hashes has state kNone until it is read.
constexpr ChecksumState kUnread = ChecksumState::kNone;

PAGETIDE_RECORDER_STATE static u64 changes_before;
PAGETIDE_RECORDER_STATE static LaterWords later;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> words;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> unsettled_words;
PAGETIDE_RECORDER_STATE static PageSet runs;
PAGETIDE_RECORDER_STATE static PageSet unsettled_runs;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> merged;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> batch;
PAGETIDE_RECORDER_STATE static PageVec<uptr> places; ///< of batch's pages
PAGETIDE_RECORDER_STATE static PageVec<GranuleRange> in_flight;
PAGETIDE_RECORDER_STATE static PageVec<MappingChange> changes;
PAGETIDE_RECORDER_STATE static PageVec<Cpu> sharers;
PAGETIDE_RECORDER_STATE static PageVec<u32> all_threads;

static bool Keeps(Rule rule) {
  static constexpr const char *kNames[] = {"marked", "unsettled", "in-flight",
                                           "discarded", "repeat"};
  return __sanitizer::internal_strcmp(GetFlags().cut_without,
                                      kNames[(u32)rule]) != 0;
}

void ForgetCuts() { sharers.clear(); }

void BeginCut() { changes_before = MappingChanges(); }

//===- Threads that share a shadow ----------------------------------------===//

/// Nobody knows which thread wrote what a shared shadow says. So there is no
/// cut until each thread of the process has settled since.
static void NoteSharers(uptr first_writer) {
  const PageVec<WriterOfPeriod> &writers = WritersSoFar();
  bool any = false;
  for (uptr i = first_writer; i < writers.size(); ++i)
    any |= !writers[i].tid;
  if (!any)
    return;
  sharers.clear();
  ListThreads(all_threads);
  for (const u32 tid : all_threads)
    sharers.push_back({tid, ThreadCpuNs(tid)});
}

static bool SharersSettled() {
  for (const Cpu &sharer : sharers)
    if (!HasSettledSince(sharer.tid, sharer.cpu_ns))
      return false;
  sharers.clear();
  return true;
}

static bool MemoryIsShared() {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    if (LoadAcquire(&entry.state) == (u32)SlotState::kLive && entry.process &&
        entry.process != ServedProcess())
      return true;
  }
  return false;
}

//===- Pages --------------------------------------------------------------===//

static uptr GranuleAtAddress(uptr address) {
  return address >> shadow.module.granule_shift;
}

/// Calls visit(page) for each page of [begin, end).
template <typename Visit>
static void ForPages(PageVec<PageHash> &pages, u64 begin, u64 end,
                     Visit visit) {
  for (uptr i = FirstPageAt(pages, begin);
       i < pages.size() && pages[i].granule < end; ++i)
    visit(pages[i]);
}

static void MakeUnread(PageVec<PageHash> &pages, u64 begin, u64 end) {
  ForPages(pages, begin, end, [](PageHash &page) {
    page.state = kUnread;
    page.hash = 0;
  });
}

/// Adds the granules of sorted runs, or makes them unread.
static void AddUnread(PageVec<PageHash> &pages,
                      const PageVec<GranuleRun> &added) {
  merged.clear();
  uptr i = 0;
  for (const GranuleRun &run : added)
    for (u64 granule = run.granule; granule < run.end(); ++granule) {
      for (; i < pages.size() && pages[i].granule < granule; ++i)
        merged.push_back(pages[i]);
      i += i < pages.size() && pages[i].granule == granule;
      merged.push_back({granule, 0, kUnread});
    }
  for (; i < pages.size(); ++i)
    merged.push_back(pages[i]);
  pages.swap(merged);
}

/// Reads and hashes the unread pages, except those of sorted runs. Returns how
/// many it read; they are in `batch` and `places`.
static u64 ReadUnread(PageVec<PageHash> &pages,
                      const PageVec<GranuleRun> *except) {
  batch.clear();
  places.clear();
  uptr run = 0;
  for (uptr i = 0; i < pages.size(); ++i) {
    if (pages[i].state != kUnread)
      continue;
    const u64 granule = pages[i].granule;
    while (except && run < except->size() && (*except)[run].end() <= granule)
      ++run;
    if (except && run < except->size() && (*except)[run].granule <= granule)
      continue;
    places.push_back(i);
    batch.push_back({granule, 0, ChecksumState::kStable});
  }
  HashPages(GetTidRaw(), batch);
  for (uptr i = 0; i < batch.size(); ++i)
    pages[places[i]] = batch[i];
  return batch.size();
}

/// Adds the words that a collection found written to `later`, and their pages
/// as unread. Returns how many granules were written.
static u64 TakeLater(const CutOfPeriod &cut, uptr first_writer,
                     PageVec<PageHash> &pages) {
  const PageVec<WriterOfPeriod> &writers = WritersSoFar();
  words.clear();
  for (uptr w = first_writer; w < writers.size(); ++w) {
    const WriterOfPeriod &writer = writers[w];
    later.threads.push_back(
        {cut.per_thread ? writer.tid : 0, later.words.size(), writer.count});
    for (uptr i = writer.first; i < writer.first + writer.count; ++i) {
      later.words.push_back(WrittenSoFar()[i]);
      words.push_back(WrittenSoFar()[i]);
    }
  }
  BuildRuns(words, cut.watch, runs);
  u64 granules = 0;
  for (const GranuleRun &run : runs.runs)
    granules += run.length;
  if (granules && Keeps(Rule::kMarked))
    AddUnread(pages, runs.runs);
  return granules;
}

//===- Reading ahead ------------------------------------------------------===//

/// Waits for the threads to settle and reads what they are done with. What
/// others may be about to write is carried, and stays unread.
static bool ReadSettled(const CutOfPeriod &cut, PageVec<PageHash> &pages) {
  unsettled_words.clear();
  const bool ok = CarryUnsettled(GetFlags().settle_wait, &unsettled_words);
  BuildRuns(unsettled_words, cut.watch, unsettled_runs);
  if (Keeps(Rule::kUnsettled))
    for (const GranuleRun &run : unsettled_runs.runs)
      MakeUnread(pages, run.granule, run.end());
  ReadUnread(pages, Keeps(Rule::kUnsettled) ? &unsettled_runs.runs : nullptr);
  return ok;
}

static bool ReadAhead(const CutOfPeriod &cut, PeriodResult &result) {
  NoteSharers(0);
  bool ok = ReadSettled(cut, result.hashes);
  u64 last = ~u64{0};
  while (ok && result.cut.rounds < kMaxRounds) {
    const uptr first_writer = WritersSoFar().size();
    if (!cut.engine.collect(false))
      return false;
    NoteSharers(first_writer);
    ++result.cut.rounds;
    const u64 granules = TakeLater(cut, first_writer, result.hashes);
    ok = ReadSettled(cut, result.hashes);
    // Another round does not help if it finds as much as this one.
    if (granules <= kFewPages || granules >= last - last / 4)
      break;
    last = granules;
  }
  return ok;
}

//===- The stop -----------------------------------------------------------===//

static const char kTooLong[] =
    "reading took longer than option cut_stop allows";
/// A later try may succeed.
static const char kCallAnywhere[] =
    "a call that may write anywhere was under way";
static const char kChanging[] = "a thread was changing mappings";
static const char kWoke[] = "threads that had waited went on writing";

static bool IsWorthAnotherStop(const char *why) {
  return why == kCallAnywhere || why == kChanging || why == kWoke ||
         why == kStopAgain;
}

/// Pages that other processes, or the kernel, may write: no content is theirs
/// at T.
static void MakeSharedUnstable(const CutOfPeriod &cut,
                               PageVec<PageHash> &pages) {
  for (const Mapping &mapping : cut.mappings.entries)
    if (mapping.shared)
      ForPages(pages, GranuleAtAddress(mapping.start),
               GranuleAtAddress(mapping.start + mapping.bytes - 1) + 1,
               MakeUnstable);
  for (const MappingChange &change : changes)
    if (change.shared)
      ForPages(pages, GranuleAtAddress(change.begin),
               GranuleAtAddress(change.end - 1) + 1, MakeUnstable);
}

/// Makes all unread that memory calls changed since the period's boundary.
static const char *MakeChangedUnread(PageVec<PageHash> &pages) {
  changes.clear();
  if (!Keeps(Rule::kDiscarded))
    return nullptr;
  if (AnyMappingChangeUnderWay())
    return kChanging;
  if (!ListMappingChanges(changes_before, changes))
    return "mappings changed too often";
  for (const MappingChange &change : changes)
    MakeUnread(pages, GranuleAtAddress(change.begin),
               GranuleAtAddress(change.end - 1) + 1);
  return nullptr;
}

/// True if a page that was read while the threads stood may have been written
/// meanwhile, by a thread that woke.
static bool WasWrittenMeanwhile(const CutOfPeriod &cut) {
  if (!Keeps(Rule::kRepeat))
    return false;
  for (const GranuleRange &range : in_flight) // they have no content anyway
    ForPages(batch, range.begin, range.end,
             [](PageHash &page) { page.state = ChecksumState::kUnstable; });
  u64 stable = 0, still = 0;
  for (const PageHash &page : batch)
    stable += page.state == ChecksumState::kStable;
  cut.engine.recheck(batch);
  for (const PageHash &page : batch)
    still += page.state == ChecksumState::kStable;
  return still != stable;
}

/// The pages that were read last must be read again.
static void ForgetReading(PageVec<PageHash> &pages) {
  for (const uptr place : places)
    pages[place] = {pages[place].granule, 0, kUnread};
  places.clear();
}

/// Reads what could not be read ahead. All threads are stopped or sleep in a
/// system call. Returns null, or why there is no cut.
static const char *ReadStanding(const CutOfPeriod &cut, PeriodResult &result) {
  PageVec<PageHash> &pages = result.hashes;
  for (int repeat = 0; repeat < kMaxRepeats; ++repeat) {
    const uptr first_writer = WritersSoFar().size();
    if (!cut.engine.collect_standing())
      return "staging is full (option staging_mib)";
    NoteSharers(first_writer);
    TakeLater(cut, first_writer, pages);
    // Whoever woke and marked may be about to write: it must stand too.
    bool stopped_any;
    if (const char *why = StopAwakeThreads(stopped_any))
      return why;
    if (stopped_any)
      continue;
    if (!sharers.empty())
      return "threads share a shadow";
    if (MemoryIsShared())
      return "another process has the same memory";
    in_flight.clear();
    if (!cut.engine.in_flight(in_flight) && Keeps(Rule::kInFlight))
      return kCallAnywhere;
    if (const char *why = MakeChangedUnread(pages))
      return why;
    const u64 change_count = MappingChanges();
    result.cut.at_ns = MonotonicNs();
    result.cut.unsettled = 0;
    for (const GranuleRun &run : unsettled_runs.runs)
      ForPages(pages, run.granule, run.end(), [&](const PageHash &page) {
        result.cut.unsettled += page.state == kUnread;
      });
    result.cut.marked = ReadUnread(pages, nullptr) - result.cut.unsettled;
    if (!WasWrittenMeanwhile(cut) && !AnyMappingChangeUnderWay() &&
        change_count == MappingChanges()) {
      if (Keeps(Rule::kInFlight))
        for (const GranuleRange &range : in_flight)
          ForPages(pages, range.begin, range.end, MakeUnstable);
      MakeSharedUnstable(cut, pages);
      return nullptr;
    }
    ForgetReading(pages);
  }
  return kWoke;
}

/// One stop. Returns null, or why it made no cut.
static const char *StopAndRead(const CutOfPeriod &cut, PeriodResult &result) {
  const char *why = PrepareToStop(GetFlags().cut_stop);
  bool stopped_any;
  if (!why)
    why = StopAwakeThreads(stopped_any);
  places.clear();
  if (!why)
    why = ReadStanding(cut, result);
  const StopTimes times = ReleaseThreads();
  if (times.pause_ns > result.cut.pause_ns)
    result.cut.pause_ns = times.pause_ns;
  if (!why && !times.in_time)
    why = kTooLong;
  if (why)
    ForgetReading(result.hashes);
  return why;
}

//===- The period ---------------------------------------------------------===//

static void SleepNs(u64 ns) {
  timespec ts = {0, (long)ns};
  Syscall(SYS_nanosleep, (uptr)&ts);
}

/// What was read ahead stays, as far as nobody has written it since.
static void FallBack(const CutOfPeriod &cut, PeriodResult &result) {
  PageVec<PageHash> &pages = result.hashes;
  ListWanted(result.set, cut.mode, ChecksumState::kUnstable, batch);
  uptr i = 0;
  for (PageHash &page : batch) {
    while (pages[i].granule < page.granule)
      ++i;
    if (pages[i].state != kUnread)
      page = pages[i];
  }
  pages.swap(batch);
  cut.engine.recheck(pages);
}

bool HashAtCut(const CutOfPeriod &cut, PeriodResult &result) {
  result.cut = {};
  result.cut.wanted = true;
  later.threads.clear();
  later.words.clear();
  ListWanted(result.set, cut.mode, kUnread, result.hashes);
  const bool ok = ReadAhead(cut, result);
  const char *why = "staging is full (option staging_mib)";
  if (ok) {
    why = SharersSettled() ? nullptr : "threads share a shadow";
    for (int stops = 1; !why; ++stops) {
      why = StopAndRead(cut, result);
      if (!why || stops == kMaxStops || !IsWorthAnotherStop(why))
        break;
      why = nullptr;
      SleepNs(kNsPerMs / 10);
    }
  }
  result.cut.why_not = why;
  if (why) {
    result.cut.at_ns = result.cut.marked = result.cut.unsettled = 0;
    FallBack(cut, result);
  } else if (!later.words.empty()) {
    BuildPageSet(result.entry, cut.per_thread, cut.watch, result.set, &later);
  }
  result.combined = Combine(result.hashes);
  return ok;
}

} // namespace pagetide
