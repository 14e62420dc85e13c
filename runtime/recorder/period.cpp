//===- period.cpp - The end of a period -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/period.h"

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
#include "recorder/checksums.h"
#include "recorder/cut.h"
#include "recorder/mappings_watch.h"
#include "recorder/recorder_state.h"
#include "recorder/requests.h"
#include "recorder/slot_service.h"
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

static void GiveToCallback(PeriodResult &result, bool on_caller) {
  const pagetide_period &period =
      DescribePeriod(result, KnownMappings(), PassedMappings());
  if (on_caller) {
    LetCallerRunCallback(period);
  } else if (!StartCallbackElsewhere(period)) {
    return;
  }
  for (;;) {
    u32 seen = RecorderWakes();
    ServeSlots(); // the callback may create threads
    if (!on_caller)
      AnswerCredentials();
    if (on_caller ? RequestWaits() : CallbackDone())
      return;
    RecorderSleep(seen);
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

PAGETIDE_RECORDER_STATE static PageVec<GranuleRange> watched;

bool EndPeriod(u32 flags, bool on_caller, const EndReason *last,
               CopyRequest *copies) {
  if (Tracing())
    EndWithTraceWriter();
  const u64 now = MonotonicNs();
  const bool callback = HasCallback() && membership != Membership::kLeft;
  const bool hash = record_config.checksum != ChecksumMode::kNone;
  const bool relative = hash && record_config.checksum_relative;
  const bool hash_at_cut =
      hash && record_config.unstable == UnstablePolicy::kCut;
  const bool cut = hash_at_cut || copies;
  if (cut)
    BeginCut();
  ObserveThreads(now);
  TakeNotesOfProgram();
  const bool has_shared = hash && SharedChanges() != SharedChangesAtLook();
  LookAtMappings(now, last != nullptr || WatchingKernelWrites() || cut ||
                          relative || has_shared);
  if (Tracing())
    EncodeChangedProcess(PendingFrames(), recorder_state.engine->name, now,
                         last != nullptr);
  if (relative)
    SetRelativeMappings(KnownMappings());
  if (WatchingKernelWrites())
    // Before the marks are taken: what was written until now was marked
    // earlier.
    CollectKernelWrites(OpenPeriod().index, recorder_state.exiting,
                        KnownMappings(), PendingFrames());
  // A thread blocked in a request has no pending access.
  const bool asked = RequestWaits();
  if (asked)
    SettleSlot(request.slot);
  // If nobody reads pages at this period's end, threads had until now to settle
  // for the period before.
  bool ok = hash || cut || callback || CarryUnsettled(0);
  ok = recorder_state.engine->collect(true) && ok;
  CountPeriodEnded();
  if (asked)
    SettleSlot(request.slot);
  PeriodEntry &entry = ClosePeriod(now, flags, recorder_state.overruns);
  recorder_state.overruns = 0;

  PeriodResult *result = NewPeriodResult();
  result->entry = entry;
  result->cut = {};
  bool watching = WatchedRegions(watched);
  BuildPageSet(entry, record_config.per_thread, watching ? &watched : nullptr,
               result->set);
  if (shadow.with_sites && Tracing()) {
    BuildSiteRows(entry, watching ? &watched : nullptr, result->sites);
    AddSiteFrames(KnownMappings(), PendingFrames());
  }
  const CutOfPeriod how = {*recorder_state.engine, record_config.checksum,
                           record_config.per_thread,
                           watching ? &watched : nullptr, copies};
  if (hash_at_cut) {
    ok = HashAtCut(how, *result) && ok;
    if (Tracing())
      EncodeCut(PendingFrames(), result->entry.index, result->cut);
  } else if (copies) {
    ok = CopyAtCut(how, *result) && ok;
  }
  if (hash && !hash_at_cut)
    ok = HashPeriod(*recorder_state.engine, record_config.checksum,
                    record_config.unstable, *result) &&
         ok;
  else if (callback && !cut)
    ok = CarryUnsettled(GetFlags().settle_wait) && ok;
  if (hash || copies)
    SayIfReadingRefused();
  if (callback)
    GiveToCallback(*result, on_caller);
  ForgetPassedMappings();
  if (!ok)
    GiveUp("The page sets of one period exceed the staging area. Raise option "
           "staging_mib, or shorten the period.");
  result->frames_before.swap(PendingFrames());
  PendingFrames().clear();
  if (last || !ok)
    EncodeEnd(result->frames_after, MonotonicNs(),
              ok ? *last : EndReason::kFailed, result->entry.index + 1);
  if (Tracing()) {
    QueuePeriod(result);
  } else {
    ReleasePeriod(result->entry);
    RecyclePeriodResult(result);
  }
  return ok;
}

} // namespace pagetide
