//===- period.cpp - The end of a period -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/period.h"

#include "cuts/checksums.h"
#include "cuts/cut.h"
#include "cuts/shared_memory.h"
#include "engines/audit_writes.h"
#include "periods/page_hash.h"
#include "periods/period_pool.h"
#include "periods/relative_hash.h"
#include "periods/settled.h"
#include "periods/staging.h"
#include "periods/watch.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "recorder/callback_period.h"
#include "recorder/callback_thread.h"
#include "recorder/mappings_watch.h"
#include "recorder/recorder_state.h"
#include "recorder/requests.h"
#include "recorder/slot_service.h"
#include "recorder/windows.h"
#include "threads/service_thread.h"
#include "trace/pending_frames.h"
#include "trace/site_frames.h"
#include "trace/trace_encode.h"
#include "trace/trace_header.h"
#include "trace/trace_writer.h"

namespace pagetide {

using namespace trace;

/// A thread changes its credentials, and the callback may wait for that thread.
static void AnswerCredentials() {
  if (!RequestWaits() || request.op != Op::kCredentials)
    return;
  FollowCredentials(request.call);
  AnswerRequest(PAGETIDE_OK);
}

/// Waits for other threads, which may create threads meanwhile.
static void AwaitThreads(bool (*are_done)(), bool answers_credentials) {
  for (;;) {
    const u32 seen = RecorderWakes();
    ServeSlots();
    if (answers_credentials)
      AnswerCredentials();
    if (are_done())
      return;
    RecorderSleep(seen);
  }
}

static bool HoldThreads(bool hold) {
  LetCallerHold(hold);
  AwaitThreads(RequestWaits, false);
  return request.holds;
}

static void GiveToCallback(PeriodResult &result, bool on_caller) {
  const pagetide_period &period =
      DescribePeriod(result, KnownMappings(), PassedMappings());
  if (on_caller) {
    LetCallerRunCallback(period);
    AwaitThreads(RequestWaits, false);
  } else if (StartCallbackElsewhere(period)) {
    AwaitThreads(CallbackDone, true);
  }
}

/// Tells the user and the trace why the recording ends. The caller stops it.
static void GiveUp(const char *why) {
  WarnOrStop("%s Recording ends here.\n", why);
  if (Tracing())
    EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
               NoteCode::kLost, why);
}

static void SayIfReadingRefused() {
  int error = TakeReadingRefused();
  if (!error)
    return;
  WarnOrStop("pages cannot be read for their checksums: %s. They are reported "
             "as unreadable. If a seccomp filter forbids process_vm_readv and "
             "memfd_create, allow one of them.\n",
             DescribeErrno(error));
  if (Tracing())
    EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
               NoteCode::kLost,
               "checksums: the system forbids reading the program's pages");
}

namespace {
/// What the end of a period has to do. It is made before the first step.
struct PeriodPlan {
  u64 now;
  bool hash, relative, callback;
  bool hash_at_cut;
  bool cut; ///< for hashes or for copies
  CopyRequest *copies;
  const EndReason *last;
};
} // namespace

PAGETIDE_RECORDER_STATE static PageVec<GranuleRange> watched;

static PeriodPlan MakePlan(const EndReason *last, CopyRequest *copies) {
  const bool hash = record_config.checksum != ChecksumMode::kNone;
  const bool hash_at_cut =
      hash && record_config.unstable == UnstablePolicy::kCut;
  return {
      .now = MonotonicNs(),
      .hash = hash,
      .relative = hash && record_config.checksum_relative,
      .callback = HasCallback() && membership != Membership::kLeft,
      .hash_at_cut = hash_at_cut,
      .cut = hash_at_cut || copies,
      .copies = copies,
      .last = last,
  };
}

/// Takes in what has changed in threads and mappings, and what the kernel saw.
static void ObserveProgram(const PeriodPlan &plan) {
  if (plan.cut)
    BeginCut();
  ObserveThreads(plan.now);
  TakeNotesOfProgram();
  const bool has_shared = plan.hash && SharedChanges() != SharedChangesAtLook();
  LookAtMappings(plan.now, plan.last || WatchingKernelWrites() || plan.cut ||
                               plan.relative || has_shared);
  SetMappingsOfPeriod(KnownMappings(), SharedChangesAtLook());
  if (Tracing())
    EncodeChangedProcess(PendingFrames(), EngineCan().name, plan.now,
                         plan.last != nullptr);
  if (plan.relative)
    SetRelativeMappings(KnownMappings());
  // Before the marks are taken: what was written until now was marked earlier.
  if (WatchingKernelWrites())
    CollectKernelWrites(OpenPeriod().index, recorder_state.exiting,
                        KnownMappings(), PendingFrames());
}

/// False if staging is full.
static bool CollectMarks(const PeriodPlan &plan) {
  // A thread blocked in a request has no pending access.
  const bool asked = RequestWaits();
  if (asked)
    SettleSlot(request.slot);
  // If nobody reads pages at this period's end, threads had until now to settle
  // for the period before.
  const bool reads = plan.hash || plan.cut || plan.callback;
  const bool carried = reads || CarryUnsettled(0);
  const bool collected = recorder_state.engine->collect(true);
  CountPeriodEnded();
  if (asked)
    SettleSlot(request.slot);
  return carried && collected;
}

/// `watch`: as BuildPageSet has it.
static PeriodResult &MakeResult(const PeriodPlan &plan, u32 flags,
                                const PageVec<GranuleRange> *watch) {
  PeriodEntry &entry = ClosePeriod(plan.now, flags, recorder_state.overruns);
  recorder_state.overruns = 0;
  PeriodResult &result = *NewPeriodResult();
  result.entry = entry;
  result.cut = {};
  BuildPageSet(entry, record_config.per_thread, watch, result.set);
  if (shadow.with_sites && Tracing()) {
    BuildSiteRows(entry, watch, result.sites);
    AddSiteFrames(KnownMappings(), PendingFrames());
  }
  return result;
}

/// Hashes and copies what the plan says. False if staging is full.
static bool ReadPages(const PeriodPlan &plan,
                      const PageVec<GranuleRange> *watch,
                      PeriodResult &result) {
  const CutOfPeriod how = {*recorder_state.engine,
                           record_config.checksum,
                           record_config.per_thread,
                           watch,
                           plan.copies,
                           HoldThreads};
  bool ok = true;
  if (plan.hash_at_cut) {
    ok = HashAtCut(how, result);
    if (Tracing())
      EncodeCut(PendingFrames(), result.entry.index, result.cut);
  } else if (plan.copies) {
    ok = CopyAtCut(how, result);
  }
  if (plan.hash && !plan.hash_at_cut)
    ok = HashPeriod(*recorder_state.engine, record_config.checksum,
                    record_config.unstable, result) &&
         ok;
  else if (plan.callback && !plan.cut)
    ok = CarryUnsettled(GetFlags().settle_wait);
  if (plan.hash || plan.copies)
    SayIfReadingRefused();
  return ok;
}

/// The trace's writer has the result from now on.
static void HandOver(const PeriodPlan &plan, PeriodResult &result, bool ok) {
  result.frames_before.swap(PendingFrames());
  PendingFrames().clear();
  if (plan.last || !ok)
    EncodeEnd(result.frames_after, MonotonicNs(),
              ok ? *plan.last : EndReason::kFailed, result.entry.index + 1);
  if (Tracing()) {
    QueuePeriod(&result);
  } else {
    ReleasePeriod(result.entry);
    RecyclePeriodResult(&result);
  }
}

bool EndPeriod(u32 flags, bool on_caller, const EndReason *last,
               CopyRequest *copies) {
  if (Tracing())
    EndWithTraceWriter();
  const PeriodPlan plan = MakePlan(last, copies);
  ObserveProgram(plan);
  bool ok = CollectMarks(plan);
  NoteCoveredThreads(plan.now);
  const auto *watch = WatchedRegions(watched) ? &watched : nullptr;
  PeriodResult &result = MakeResult(plan, flags | FlagsOfWindow(), watch);
  ok = ReadPages(plan, watch, result) && ok;
  if (plan.callback)
    GiveToCallback(result, on_caller);
  ForgetPassedMappings();
  if (!ok)
    GiveUp("The page sets of one period exceed the staging area. Raise option "
           "staging_mib, or shorten the period.");
  if (plan.last)
    StateInLastPeriod();
  HandOver(plan, result, ok);
  PassPeriod();
  return ok;
}

} // namespace pagetide
