//===- cut.cpp - A period that ends at one instant ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut.h"

#include "cuts/checksums.h"
#include "cuts/cut_calls.h"
#include "cuts/cut_copies.h"
#include "cuts/cut_kernel_writes.h"
#include "cuts/cut_pages.h"
#include "cuts/cut_workers.h"
#include "cuts/given_back.h"
#include "cuts/shared_memory.h"
#include "cuts/stopped_threads.h"
#include "engines/audit_writes.h"
#include "periods/settled.h"
#include "periods/staging.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/options.h"

#include "sanitizer_common/sanitizer_libc.h"

namespace pagetide {

using namespace trace;

/// Rounds of reading ahead, after the first reading.
constexpr u64 kMaxRounds = 3;
/// So few pages are read while the threads stand rather than in a round.
constexpr u64 kFewPages = 32;
/// How often a period tries to make its cut, and how often a stop starts again
/// because a thread woke.
constexpr int kMaxStops = 3, kMaxRepeats = 16;

namespace {
/// A rule that option cut_without leaves out, so that tests can show that it is
/// needed.
enum class Rule {
  kMarked,
  kUnsettled,
  kInFlight,
  kDiscarded,
  kRepeat,
  kWoken,
  kStop,
  kKernel
};

/// What is being made.
struct Making : CutPages {
  const CutOfPeriod &cut;
  CutResult &result;
};
} // namespace

PAGETIDE_RECORDER_STATE static u64 changes_before;
PAGETIDE_RECORDER_STATE static LaterWords later;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> words;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> unsettled_words;
PAGETIDE_RECORDER_STATE static PageSet runs;
PAGETIDE_RECORDER_STATE static PageSet unsettled_runs;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> listed;
/// The granules that were read while the threads stood.
PAGETIDE_RECORDER_STATE static PageVec<u64> read_standing;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> copied_pages;
PAGETIDE_RECORDER_STATE static PageVec<GranuleRange> copied_regions;
PAGETIDE_RECORDER_STATE static PageVec<GranuleRange> watched_or_copied;
PAGETIDE_RECORDER_STATE static PageVec<u64> given_back;
PAGETIDE_RECORDER_STATE static PageVec<MappingChange> changes;

static bool Keeps(Rule rule) {
  static constexpr const char *kNames[] = {
      "marked", "unsettled", "in-flight", "discarded",
      "repeat", "woken",     "stop",      "kernel"};
  return __sanitizer::internal_strcmp(GetFlags().cut_without,
                                      kNames[(u32)rule]) != 0;
}

void EndCuts() { AwaitCutWorkers(); }

void BeginCut() { changes_before = MappingChanges(); }

//===- Pages --------------------------------------------------------------===//

/// How many of the writers so far are in the period's set or in `later`. Marks
/// are collected not only for the cut: while threads are being held back, new
/// ones may get the slots of threads that have ended (slot_service.h).
PAGETIDE_RECORDER_STATE static uptr taken_writers;

/// Adds the words that were found written since the last time to `later`, and
/// their pages as unread. Returns how many granules were written.
static u64 TakeLater(Making &making) {
  const PageVec<WriterOfPeriod> &writers = WritersSoFar();
  words.clear();
  for (; taken_writers < writers.size(); ++taken_writers) {
    const WriterOfPeriod &writer = writers[taken_writers];
    later.threads.push_back({making.cut.per_thread ? writer.tid : 0,
                             later.words.size(), writer.count});
    for (uptr i = writer.first; i < writer.first + writer.count; ++i) {
      later.words.push_back(WrittenSoFar()[i]);
      words.push_back(WrittenSoFar()[i]);
    }
  }
  BuildRuns(words, making.wanted, runs);
  u64 granules = GranulesOf(runs.runs);
  if (granules && Keeps(Rule::kMarked))
    AddUnread(making, runs.runs);
  if (making.hash && Keeps(Rule::kKernel))
    granules += TakeKernelWrites(making);
  return granules;
}

//===- Reading ahead ------------------------------------------------------===//

/// Waits for the threads to settle and reads what they are done with. What
/// others may be about to write is carried, and stays unread.
static bool ReadSettled(Making &making, u64 wait_ns) {
  unsettled_words.clear();
  const bool ok = CarryUnsettled(wait_ns, &unsettled_words);
  taken_writers = WritersSoFar().size(); // the others have settled
  BuildRuns(unsettled_words, making.wanted, unsettled_runs);
  if (Keeps(Rule::kUnsettled))
    for (const GranuleRun &run : unsettled_runs.runs)
      MakeUnread(making.pages, run.granule, run.end());
  ReadUnreadAhead(making,
                  Keeps(Rule::kUnsettled) ? &unsettled_runs.runs : nullptr);
  return ok;
}

/// Collects what was written since the last collection. It is unread then.
/// False if staging is full.
static bool CollectLater(Making &making, u64 &granules) {
  // The collections of the stop then look only at what is marked from here on.
  making.cut.engine.watch();
  if (!making.cut.engine.collect(false))
    return false;
  granules = TakeLater(making);
  return true;
}

/// The same, and reads it as far as it is settled.
static bool ReadRound(Making &making, u64 wait_ns, u64 &granules) {
  return CollectLater(making, granules) && ReadSettled(making, wait_ns);
}

static bool ReadAhead(Making &making) {
  const u64 wait_ns = GetFlags().settle_wait;
  bool ok = ReadSettled(making, wait_ns);
  u64 last = ~u64{0}, granules = 0;
  while (ok && making.result.rounds < kMaxRounds) {
    ++making.result.rounds;
    ok = ReadRound(making, wait_ns, granules);
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
static const char kStagingFull[] = "staging is full (option staging_mib)";
static const char kNoPlaces[] = "there is no room for so many copies";
static const char kNotHeld[] = "the thread that asked for copies held it back";

static bool IsWorthAnotherStop(const char *why) {
  return why == kCallAnywhere || why == kChanging || why == kWoke ||
         why == kTooLong || why == kNotInTime || why == kStopAgain;
}

/// Pages that others, or the kernel, may write: no content is theirs at T.
static void MakeOthersUnstable(PageVec<PageHash> &pages) {
  ForPagesOfOthers(pages, MakeUnstable);
  for (const MappingChange &change : changes)
    if (change.writers == Writers::kKernel)
      ForPages(pages, UnitOf(change.begin), UnitOf(change.end - 1) + 1,
               MakeUnstable);
}

/// Makes all unread that memory calls changed since the period's boundary. Of
/// libc's own calls only the kernel knows.
static const char *MakeChangedUnread(PageVec<PageHash> &pages) {
  changes.clear();
  if (!Keeps(Rule::kDiscarded))
    return nullptr;
  if (AnyMappingChangeUnderWay())
    return kChanging;
  if (!ListMappingChanges(changes_before, changes))
    return "mappings changed too often";
  for (const MappingChange &change : changes)
    MakeUnread(pages, UnitOf(change.begin), UnitOf(change.end - 1) + 1);
  ListGivenBack(pages, given_back);
  for (const u64 granule : given_back)
    MakeUnread(pages, granule, granule + 1);
  return nullptr;
}

/// True if a page that was read last may have been written meanwhile, by a
/// thread that woke. Makes such pages unread. What was read before stays as it
/// was at that instant: its next write has a mark, which is collected.
static bool WasWrittenMeanwhile(Making &making) {
  if (!Keeps(Rule::kRepeat) || !Keeps(Rule::kStop))
    return false;
  PageVec<PageHash> &batch = JustRead();
  const bool may_have_run = MayAnySleeperHaveRun();
  if (may_have_run)
    RecheckWithCalls(making.cut.engine, batch);
  if (making.hash && Keeps(Rule::kKernel))
    RecheckKernelWrites(batch);
  bool any = may_have_run && !AllSleptOn();
  for (const PageHash &page : batch)
    any |= page.state == ChecksumState::kUnstable;
  // Also those in flight: when their call has returned, nothing else says that
  // it was writing while they were read.
  for (const PageHash &page : batch)
    if (any && page.state != ChecksumState::kStable)
      MakeUnread(making.pages, page.granule, page.granule + 1);
  return any;
}

/// True if a thread may have run since the last collection began. It may have
/// marked some of what it wrote behind the collection: pages that were read
/// before the stop.
static bool MayHaveMarkedBehind() {
  return Keeps(Rule::kRepeat) && Keeps(Rule::kWoken) && Keeps(Rule::kStop) &&
         (MayAnySleeperHaveRun() || AnyUnseenToStop());
}

/// What was read while the threads stood must be read again.
static void ForgetReading(PageVec<PageHash> &pages) {
  for (const u64 granule : read_standing)
    MakeUnread(pages, granule, granule + 1);
  read_standing.clear();
}

static u64 CountUnread(PageVec<PageHash> &pages,
                       const PageVec<GranuleRun> &of) {
  u64 unread = 0;
  for (const GranuleRun &run : of)
    ForPages(pages, run.granule, run.end(),
             [&](const PageHash &page) { unread += page.state == kUnread; });
  return unread;
}

/// All pages are as they were when the last of them was read. Returns null.
static const char *EndReading(Making &making) {
  if (Keeps(Rule::kInFlight))
    MakeWrittenByCallsUnstable(making.pages);
  MakeOthersUnstable(making.pages);
  making.result.marked -= making.result.unsettled;
  return nullptr;
}

/// Reads what could not be read ahead. All threads are stopped or sleep in a
/// system call. Returns null, or why there is no cut.
static const char *ReadStanding(Making &making) {
  const CutOfPeriod &cut = making.cut;
  CutResult &result = making.result;
  PageVec<PageHash> &pages = making.pages;
  result.marked = 0;
  result.unsettled = CountUnread(pages, unsettled_runs.runs);
  BeginReadUnread(making);
  bool is_read = false; // unless the next collection finds something
  for (int repeat = 0; repeat < kMaxRepeats;) {
    if (Keeps(Rule::kStop) && !StillStanding())
      return kTooLong;
    if (!cut.engine.collect_standing())
      return kStagingFull;
    const u64 granules = TakeLater(making);
    if (making.copies && !HavePlaces(*making.copies))
      return kNoPlaces;
    if (KernelWritesUnknown())
      return "the kernel did not tell which pages were written";
    if (is_read && !granules)
      return EndReading(making);
    is_read = false;
    // Whoever woke and marked may be about to write: it must stand too.
    bool stopped_any = false;
    if (Keeps(Rule::kStop))
      if (const char *why = StopAwakeThreads(stopped_any))
        return why;
    if (stopped_any) // which happens once for each thread
      continue;
    if (AnotherProcessRunsHere())
      return "another process has the same memory";
    if (!ListCalls(cut.engine, pages) && Keeps(Rule::kInFlight))
      return kCallAnywhere;
    if (const char *why = MakeChangedUnread(pages))
      return why;
    const u64 change_count = MappingChanges();
    result.at_ns = MonotonicNs();
    result.marked += ReadUnread(making);
    for (const PageHash &page : JustRead())
      read_standing.push_back(page.granule);
    const bool was_changed = AnyMappingChangeUnderWay() ||
                             change_count != MappingChanges() ||
                             AnyStoppedHasChild();
    is_read = !WasWrittenMeanwhile(making) && !was_changed;
    if (is_read && !MayHaveMarkedBehind())
      return EndReading(making);
    if (was_changed)
      ForgetReading(pages);
    ++repeat;
  }
  return kWoke;
}

/// One stop. Returns null, or why it made no cut.
static const char *StopAndRead(Making &making) {
  const bool stop = Keeps(Rule::kStop);
  const char *why = stop ? PrepareToStop(GetFlags().cut_stop) : nullptr;
  bool stopped_any;
  if (!why && stop)
    why = StopAwakeThreads(stopped_any);
  read_standing.clear();
  if (!why) {
    GatherCutWorkers();
    why = ReadStanding(making);
    GiveUpReadUnread(making);
    RestCutWorkers();
  }
  const StopTimes times = stop ? ReleaseThreads() : StopTimes{0, true};
  if (times.pause_ns > making.result.pause_ns)
    making.result.pause_ns = times.pause_ns;
  if (!why && !times.in_time)
    why = kTooLong;
  if (why)
    ForgetReading(making.pages);
  return why;
}

//===- The period ---------------------------------------------------------===//

/// Stops the threads until there is a cut. Returns null, or why there is none.
static const char *StopUntilCut(Making &making) {
  // Nobody waits for threads to settle that are held back: they sleep.
  const u64 wait_ns = making.copies ? 0 : GetFlags().settle_wait;
  const char *why = nullptr;
  for (int stops = 1; !why; ++stops) {
    // Threads may have written for long while the last round waited for them to
    // settle. What is collected now need not be collected while they stand.
    u64 granules;
    if (!making.copies && !CollectLater(making, granules))
      return kStagingFull;
    why = StopAndRead(making);
    if (!why || stops == kMaxStops || !IsWorthAnotherStop(why))
      break;
    if (why == kCallAnywhere)
      AwaitCallsAnywhere(making.cut.engine);
    else if (why != kTooLong)
      SleepNs(kNsPerMs / 10);
    else if (!ReadRound(making, wait_ns, granules)) // or there is more to read
      return kStagingFull;
    why = nullptr;
  }
  return why;
}

/// The same, while the thread that wants copies holds the others back.
static const char *HoldUntilCut(Making &making) {
  const CutCopies &copies = *making.copies;
  if (!HavePlaces(copies))
    return kNoPlaces;
  copies.request->more_count = 0; // they are read
  if (!making.cut.hold_threads(true))
    return kNotHeld;
  ListMore(*copies.request, runs.runs);
  AddUnread(making, runs.runs);
  // It may have taken long. Nobody waits for threads to settle now: those that
  // are held back sleep.
  u64 granules;
  const char *why = kNoPlaces;
  if (HavePlaces(copies))
    why = ReadRound(making, 0, granules) ? nullptr : kStagingFull;
  if (!why)
    why = StopUntilCut(making);
  making.cut.hold_threads(false);
  return why;
}

/// `pages` lists what is to be read first. False if staging is full.
static bool MakeCut(Making &making) {
  CutResult &result = making.result;
  result = {};
  result.wanted = true;
  if (Keeps(Rule::kStop) && making.pages.size() > kFewPages)
    StartCutWorkers();
  later.threads.clear();
  later.words.clear();
  taken_writers = WritersSoFar().size();
  const bool fits = !making.copies || HavePlaces(*making.copies);
  const bool ok =
      fits ? ReadAhead(making) : CarryUnsettled(GetFlags().settle_wait);
  result.why_not = !fits           ? kNoPlaces
                   : !ok           ? kStagingFull
                   : making.copies ? HoldUntilCut(making)
                                   : StopUntilCut(making);
  StopCutWorkers();
  if (result.why_not)
    result.at_ns = result.marked = result.unsettled = 0;
  return ok;
}

//===- Copies -------------------------------------------------------------===//

/// Adds the pages to copy: those of the set in the regions, and `more`.
static void ListCopied(Making &making, const PageSet &set) {
  CopyRequest &request = *making.copies->request;
  request.count = 0;
  request.cut_ns = request.pause_ns = request.not_readable = 0;
  request.no_cut = nullptr;
  ListWanted(set, ChecksumMode::kWritten, kUnread, listed);
  runs.Clear();
  WatchedGranules inside(making.wanted);
  for (const PageHash &page : listed)
    if (inside.Has(page.granule))
      AppendRun(runs.runs, 0, {page.granule, 1, 0});
  AddUnread(making, runs.runs);
  ListMore(request, runs.runs);
  AddUnread(making, runs.runs);
}

/// Both sorted and disjoint.
static void Unite(const PageVec<GranuleRange> &a,
                  const PageVec<GranuleRange> &b,
                  PageVec<GranuleRange> &united) {
  united.clear();
  for (uptr i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool take_a =
        j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    const GranuleRange &next = take_a ? a[i++] : b[j++];
    if (united.empty() || united.back().end < next.begin)
      united.push_back(next);
    else if (united.back().end < next.end)
      united.back().end = next.end;
  }
}

bool CopyAtCut(const CutOfPeriod &cut, const PeriodResult &result) {
  ListRegions(*cut.copies, copied_regions);
  CutCopies copies = {cut.copies, copied_regions};
  CutResult made = {};
  copied_pages.clear();
  ExpectUnread(copied_pages);
  Making making = {{copied_pages, &copied_regions, false, &copies}, cut, made};
  ListCopied(making, result.set);
  const bool ok = MakeCut(making);
  Answer(copies, made);
  return ok;
}

//===- Checksums ----------------------------------------------------------===//

/// Of what was read, keeps the pages of the set that are to be hashed.
static void KeepHashed(const CutOfPeriod &cut, PeriodResult &result) {
  PageVec<PageHash> &pages = result.hashes;
  ListWanted(result.set, cut.mode, ChecksumState::kUnstable, listed);
  uptr i = 0;
  for (PageHash &page : listed) {
    while (pages[i].granule < page.granule)
      ++i;
    if (pages[i].state != kUnread)
      page = pages[i];
  }
  pages.swap(listed);
}

bool HashAtCut(const CutOfPeriod &cut, PeriodResult &result) {
  PageVec<PageHash> &pages = result.hashes;
  BeginKernelWrites();
  AddKernelWrites(cut.watch, result.set);
  ListWanted(result.set, cut.mode, kUnread, pages);
  ExpectUnread(pages);
  CutCopies copies = {cut.copies, copied_regions};
  Making making = {{pages, cut.watch, true, nullptr}, cut, result.cut};
  if (cut.copies) {
    ListRegions(*cut.copies, copied_regions);
    making.copies = &copies;
    making.wanted = &copied_regions;
    ListCopied(making, result.set);
    if (cut.watch)
      Unite(*cut.watch, copied_regions, watched_or_copied);
    making.wanted = cut.watch ? &watched_or_copied : nullptr;
  }
  const bool ok = MakeCut(making);
  if (making.copies)
    Answer(copies, result.cut);
  const bool is_cut = !result.cut.why_not;
  if (is_cut && (!later.words.empty() || AnyLaterKernelWrites())) {
    BuildPageSet(result.entry, cut.per_thread, cut.watch, result.set, &later);
    AddKernelWrites(cut.watch, result.set);
  }
  if (!is_cut)
    TakeKernelWrites(making);
  EndKernelWrites(is_cut, result.set);
  // Without a cut, what was read ahead stays as far as nobody has written it
  // since.
  if (!is_cut || cut.copies || WatchingKernelWrites())
    KeepHashed(cut, result);
  if (!is_cut) {
    ForPagesOfOthers(pages, MakeUnstable);
    cut.engine.recheck(pages, nullptr);
  }
  result.combined = Combine(pages);
  return ok;
}

} // namespace pagetide
