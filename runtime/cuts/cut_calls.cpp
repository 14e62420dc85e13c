//===- cut_calls.cpp - Calls under way while a cut is made ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut_calls.h"

#include "arch/older_calls.h"
#include "platform/fork_reset.h"
#include "threads/blocked_call.h"

#include <sys/syscall.h>

namespace pagetide {

/// The kernel is asked about so many threads at most, 10 us each.
constexpr u32 kMaxAsked = 16;

PAGETIDE_RECORDER_STATE static PageVec<CallInFlight> calls;
PAGETIDE_RECORDER_STATE static PageVec<ThreadCpu> sleepers;

/// Whether only the thread itself writes what the call gives, and not while it
/// sleeps. A device may write what read() gives (O_DIRECT).
static bool WritesOnlyAwake(long call) {
  switch (call) {
  case SYS_clock_nanosleep:
  case SYS_nanosleep:
  case SYS_rt_sigtimedwait:
  case SYS_wait4:
  case SYS_waitid:
  case SYS_futex:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_accept:
  case SYS_accept4:
  case SYS_ppoll:
  case SYS_pselect6:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    return true;
  default:
    return IsOlderWait(call);
  }
}

static bool AnyListed(const PageVec<PageHash> &pages, GranuleRange range) {
  const uptr first = FirstPageAt(pages, range.begin);
  return first < pages.size() && pages[first].granule < range.end;
}

static bool IsAsleep(u32 tid) {
  for (const ThreadCpu &sleeper : sleepers)
    if (sleeper.tid == tid)
      return true;
  return false;
}

bool ListCalls(const Engine &engine, PageVec<PageHash> &pages) {
  calls.clear();
  sleepers.clear();
  const bool all_known = engine.in_flight(calls);
  u32 asked_tid = 0, asked = 0;
  for (const CallInFlight &call : calls) {
    if (!call.tid || !AnyListed(pages, call.granules))
      continue;
    if (call.tid != asked_tid) { // a thread has up to three ranges
      if (++asked > kMaxAsked)
        break;
      asked_tid = call.tid;
      // In this order: what runs after the first look has another CPU time.
      const u64 cpu_ns = ThreadCpuNs(call.tid);
      if (cpu_ns && cpu_ns != kUnknownNs &&
          WritesOnlyAwake(BlockedCall(call.tid)))
        sleepers.push_back({call.tid, cpu_ns});
    }
    if (IsAsleep(call.tid))
      MakeUnread(pages, call.granules.begin, call.granules.end);
  }
  return all_known;
}

void AwaitCallsAnywhere(const Engine &engine) {
  constexpr u64 kStepNs = kNsPerMs / 10, kMaxWaitNs = 10 * kNsPerMs;
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  do {
    SleepNs(kStepNs);
    calls.clear();
  } while (!engine.in_flight(calls) && MonotonicNs() < deadline);
}

void RecheckWithCalls(const Engine &engine, PageVec<PageHash> &just_read) {
  for (const CallInFlight &call : calls)
    if (!IsAsleep(call.tid)) // they have no content anyway
      ForPages(just_read, call.granules.begin, call.granules.end,
               [](PageHash &page) { page.state = ChecksumState::kGone; });
  engine.recheck(just_read, IsAsleep);
}

bool AllSleptOn() {
  for (const ThreadCpu &sleeper : sleepers)
    if (MayHaveRunSince(sleeper))
      return false;
  return true;
}

void MakeWrittenByCallsUnstable(PageVec<PageHash> &pages) {
  for (const CallInFlight &call : calls)
    if (!IsAsleep(call.tid))
      ForPages(pages, call.granules.begin, call.granules.end, MakeUnstable);
}

} // namespace pagetide
