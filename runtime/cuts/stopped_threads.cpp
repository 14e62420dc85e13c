//===- stopped_threads.cpp - Stop the program's threads for a moment ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/stopped_threads.h"

#include "arch/older_calls.h"
#include "arch/stopped_call.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/page_vec.h"
#include "platform/program_memory.h"
#include "platform/raw_process.h"
#include "platform/raw_thread_ids.h"
#include "platform/small_file.h"
#include "threads/blocked_call.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
/// Who may act next, and what was decided. The recorder makes kOrdered of kIdle
/// and kStanding, and kReleased of both. The helper does the rest.
enum Phase : u32 {
  kIdle,     ///< no thread is stopped
  kOrdered,  ///< the helper stops what is new in `threads`
  kStanding, ///< all that it was to stop is stopped
  kReleased, ///< the recorder has finished
  kExpired,  ///< the bound has passed
  kRefused,  ///< the system does not let the helper stop a thread
  kDone,     ///< all have been released
};

enum class Step : u32 {
  kNew,
  kInterrupted, ///< it may still be in user code
  /// It has left user code, and stops before it is there again. Perhaps it
  /// waits for a processor, and nobody knows how long.
  kOutside,
  kStopped,
  kEnded,
};

struct StoppedThread {
  u32 tid;
  Step step;
  int signal;     ///< that the thread was about to receive
  bool must_stop; ///< it sleeps in a call that changes memory
  /// Descriptor of its list of children. 0: not open.
  int children_plus_one;
};

struct Helper {
  u32 phase;
  RawProcess process;
  u64 bound_ns;
  u64 first_ns; ///< when the first thread was interrupted; 0: none was
  u64 released_ns;
  u32 refused_tid; ///< the thread that cannot be stopped
  int error;
  bool needs_permission; ///< Yama lets a child trace its parent only if asked
  bool has_barrier;      ///< membarrier may be used
};
} // namespace

PAGETIDE_RECORDER_STATE static Helper helper;
/// The recorder appends to it while the helper does not look.
PAGETIDE_RECORDER_STATE static PageVec<StoppedThread> threads;
PAGETIDE_RECORDER_STATE static PageVec<u32> tids;
/// To ask more sleepers takes longer than to look at marks again.
constexpr uptr kMaxSleepers = 64;
/// Threads that are not stopped since they sleep in calls, before they were
/// seen asleep.
PAGETIDE_RECORDER_STATE static PageVec<ThreadCpu> sleepers;
PAGETIDE_RECORDER_STATE static bool are_sleepers_known;

static bool Advance(Phase from, Phase to) {
  u32 expected = from;
  if (!__atomic_compare_exchange_n(&helper.phase, &expected, (u32)to, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return false;
  FutexWakeAll(&helper.phase);
  return true;
}

//===- The helper ---------------------------------------------------------===//

// It shares the recorder's memory, and uses system calls only.

static uptr Ptrace(long request, u32 tid, uptr address = 0, uptr data = 0) {
  return Syscall(SYS_ptrace, (uptr)request, tid, address, data);
}

/// Calls that end with EINTR when a thread is stopped in them, although no
/// handler runs (man 7 signal). They have then done nothing.
static bool EndsByStop(u64 call) {
  switch (call) {
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_rt_sigtimedwait:
  case SYS_semop:
  case SYS_semtimedop:
  case SYS_io_getevents:
  case SYS_io_pgetevents:
  case SYS_io_uring_enter:
  case SYS_read: // of inotify; sockets with a timeout
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_write:
  case SYS_writev:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_sendmmsg:
  case SYS_accept:
  case SYS_accept4:
    return true;
  default:
    return (long)call == kOldEpollWait;
  }
}

static bool HasPendingSignal(u32 tid, u32 queue) {
  ptrace_peeksiginfo_args ask = {0, queue, 1};
  siginfo_t info;
  return Ptrace(PTRACE_PEEKSIGINFO, tid, (uptr)&ask, (uptr)&info) != 0;
}

/// The stop has ended the thread's call with EINTR: it makes the call anew. If
/// a signal of the program waits, that ends the call, and rightly so.
static void MakeCallAnew(u32 tid) {
  CallOfStopped call;
  if (call.Read(tid) && call.Result() == -EINTR && call.Number() >= 0 &&
      EndsByStop(call.Number()) && !HasPendingSignal(tid, 0) &&
      !HasPendingSignal(tid, PTRACE_PEEKSIGINFO_SHARED))
    call.MakeAnew(tid);
}

static void Release(const StoppedThread &thread) {
  if (!thread.signal)
    MakeCallAnew(thread.tid);
  Ptrace(PTRACE_DETACH, thread.tid, 0, (uptr)thread.signal);
}

/// Whether the thread has stopped or ended. `options`: WNOHANG or 0.
static bool Await(StoppedThread &thread, uptr options) {
  int status = 0;
  const uptr result =
      Syscall(SYS_wait4, thread.tid, (uptr)&status, options | __WALL, 0);
  if (!result || ErrnoOf(result) == EINTR)
    return false;
  if (Failed(result) || !WIFSTOPPED(status)) {
    thread.step = Step::kEnded;
    return true;
  }
  thread.step = Step::kStopped;
  thread.signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
  return true;
}

static u64 Deadline() { return helper.first_ns + helper.bound_ns; }

/// True if the thread has a child process, or if nobody can tell. A child of
/// vfork runs in this memory while its parent is in the kernel.
static bool MayHaveChild(StoppedThread &thread) {
  char path[64], first;
  if (!thread.children_plus_one) {
    internal_snprintf(path, sizeof(path), "/proc/%u/task/%u/children",
                      helper.process.starter, thread.tid);
    const uptr fd =
        Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY | O_CLOEXEC);
    if (Failed(fd))
      return true;
    // It stays open, since the look before release is in the pause too.
    thread.children_plus_one = (int)fd + 1;
  }
  return Syscall(SYS_pread64, (uptr)thread.children_plus_one - 1, (uptr)&first,
                 1, 0) != 0;
}

/// Interrupts each processor that runs one of the threads. Whoever was
/// interrupted by ptrace before leaves user code by that, or is not in it, and
/// stops before it returns there. So nobody has to wait until threads that have
/// no processor get one.
static void DriveOutOfUserCode() {
  if (!helper.has_barrier ||
      Failed(Syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0)))
    return;
  for (StoppedThread &thread : threads)
    if (thread.step == Step::kInterrupted && !thread.must_stop &&
        !MayHaveChild(thread))
      thread.step = Step::kOutside;
}

/// What comes after kOrdered.
static Phase StopNewThreads() {
  for (StoppedThread &thread : threads) {
    if (thread.step != Step::kNew)
      continue;
    const uptr seized = Ptrace(PTRACE_SEIZE, thread.tid);
    if (ErrnoOf(seized) == ESRCH) {
      thread.step = Step::kEnded;
      continue;
    }
    if (Failed(seized)) {
      helper.refused_tid = thread.tid;
      helper.error = ErrnoOf(seized);
      return kRefused;
    }
    if (!helper.first_ns)
      helper.first_ns = MonotonicNs();
    Ptrace(PTRACE_INTERRUPT, thread.tid);
    thread.step = Step::kInterrupted;
  }
  DriveOutOfUserCode();
  constexpr int kYields = 50;
  for (int tries = 0;; ++tries) {
    bool all = true;
    for (StoppedThread &thread : threads)
      all &= thread.step != Step::kInterrupted || Await(thread, WNOHANG);
    if (all)
      return kStanding;
    if (MonotonicNs() >= Deadline())
      return kExpired;
    if (tries < kYields)
      Syscall(SYS_sched_yield);
    else
      SleepNs(20 * 1000);
  }
}

static void ReleaseAll() {
  for (const StoppedThread &thread : threads)
    if (thread.step == Step::kStopped)
      Release(thread);
  helper.released_ns = MonotonicNs();
  StoreRelease(&helper.phase, kDone);
  FutexWakeAll(&helper.phase);
  // Those that did not stop in time do so some time. If the helper ended now,
  // their calls might end with EINTR.
  for (StoppedThread &thread : threads)
    if (thread.step == Step::kInterrupted || thread.step == Step::kOutside) {
      while (!Await(thread, 0)) {
      }
      if (thread.step == Step::kStopped)
        Release(thread);
    }
}

static void RunHelper(void *) {
  // The recorder may give up its step before it orders anything. Or it waits
  // long for the kernel's word on what a thread does.
  const u64 patience = MonotonicNs() + kNsPerSec;
  for (;;) {
    switch (LoadAcquire(&helper.phase)) {
    case kIdle:
      if (MonotonicNs() >= patience)
        Advance(kIdle, kExpired);
      else
        FutexWait(&helper.phase, kIdle, patience);
      break;
    case kOrdered:
      StoreRelease(&helper.phase, StopNewThreads());
      FutexWakeAll(&helper.phase);
      break;
    case kStanding:
      if (MonotonicNs() >= Deadline())
        Advance(kStanding, kExpired);
      else
        FutexWait(&helper.phase, kStanding, Deadline());
      break;
    default:
      ReleaseAll();
      return;
    }
  }
}

//===- The recorder -------------------------------------------------------===//

static const char kNoHelper[] = "the system does not let the recorder start "
                                "the process that stops threads";

/// True if the helper has ended, after a short wait: one that is done ends at
/// once, unless a thread has not stopped yet.
static bool HelperEnds() {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries && !HasEnded(helper.process); ++i)
    SleepNs(20 * 1000);
  return !helper.process.pid;
}

/// Forgets the threads.
static void ForgetStopped() {
  for (StoppedThread &thread : threads)
    if (thread.children_plus_one)
      Syscall(SYS_close, (uptr)thread.children_plus_one - 1);
  threads.clear();
}

PAGETIDE_RECORDER_STATE static u32 others_stop, own_stop;

void BeginOtherStop() {
  __atomic_fetch_add(&others_stop, 1, __ATOMIC_SEQ_CST);
  // If the recorder has been ended from outside, nobody ends its stop.
  constexpr u64 kMaxNs = kNsPerSec;
  const u64 deadline = MonotonicNs() + kMaxNs;
  while (__atomic_load_n(&own_stop, __ATOMIC_SEQ_CST) &&
         MonotonicNs() < deadline)
    FutexWait(&own_stop, 1, deadline);
  // A thread without a processor has not stopped yet, and is the helper's until
  // then. The helper may be reaped meanwhile.
  if (const u32 tracer = LoadAcquire(&helper.process.pid))
    while (ErrnoOf(Syscall(SYS_waitid, P_PID, tracer, 0,
                           WEXITED | WNOWAIT | __WALL, 0)) == EINTR) {
    }
}

void EndOtherStop() {
  // A child that was forked meanwhile begins with none.
  if (LoadAcquire(&others_stop))
    __atomic_fetch_sub(&others_stop, 1, __ATOMIC_SEQ_CST);
}

bool BeginOwnStop() {
  __atomic_store_n(&own_stop, 1, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&others_stop, __ATOMIC_SEQ_CST))
    return true;
  EndOwnStop();
  return false;
}

void EndOwnStop() {
  StoreRelease(&own_stop, 0);
  FutexWakeAll(&own_stop);
}

const char *PrepareToStop(u64 bound_ns) {
  helper.first_ns = helper.released_ns = 0; // the last pause has been told
  if (!HelperEnds())
    return "a thread has not stopped since the last attempt";
  ForgetStopped();
  if (!BeginOwnStop())
    return "another sanitizer stops the threads";
  are_sleepers_known = false;
  helper.phase = kIdle;
  helper.bound_ns = bound_ns;
  helper.refused_tid = 0;
  helper.error = 0;
  helper.has_barrier =
      !UnderSystemCallFilter() &&
      !Failed(Syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
                      0));
  helper.process.run = RunHelper;
  helper.process.name = "pagetide-stop";
  if (!StartRawProcess(helper.process))
    return kNoHelper;
  if (helper.needs_permission)
    Syscall(SYS_prctl, PR_SET_PTRACER, helper.process.pid);
  return nullptr;
}

/// Waits while the phase is `phase`. False if the helper has gone.
static bool WaitWhile(Phase phase) {
  constexpr u64 kStepNs = 100 * kNsPerMs;
  while (LoadAcquire(&helper.phase) == phase) {
    FutexWait(&helper.phase, phase, MonotonicNs() + kStepNs);
    if (LoadAcquire(&helper.phase) == phase && HasEnded(helper.process) &&
        LoadAcquire(&helper.phase) == phase)
      return false;
  }
  return true;
}

/// Whether a thread sleeps in a call that changes no memory, so that it need
/// not be stopped.
static bool MaySleepOn(long call) {
  switch (call) {
  case -1:
  // They change memory without marks.
  case SYS_mmap:
  case SYS_munmap:
  case SYS_mremap:
  case SYS_madvise:
  case SYS_brk:
  case SYS_mprotect:
  case SYS_shmat:
  case SYS_shmdt:
  case SYS_remap_file_pages:
  // A child of vfork, or of posix_spawn, has this memory until it ends or calls
  // exec.
  case SYS_clone:
  case SYS_clone3:
  case SYS_execve:
  case SYS_execveat:
    return false;
  default:
    return !IsOlderFork(call);
  }
}

static bool IsListed(u32 tid) {
  for (const StoppedThread &thread : threads)
    if (thread.tid == tid)
      return true;
  return false;
}

/// The first thread may have ended before the others. It stays listed.
static bool ThreadHasEnded(u32 tid) {
  char path[48], text[512];
  internal_snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tid);
  const uptr n = ReadSmallFile(AT_FDCWD, path, text, sizeof(text) - 1);
  text[n] = 0;
  const char *state = internal_strrchr(text, ')');
  return !n || (state && (state[2] == 'Z' || state[2] == 'X'));
}

static const char *WhyRefused() {
  if (ThreadHasEnded(helper.refused_tid))
    return kStopAgain;
  if (helper.error == EPERM && !helper.needs_permission) {
    helper.needs_permission = true; // which the next helper gets
    return kStopAgain;
  }
  return "the system forbids ptrace, or a debugger is attached";
}

const char *StopAwakeThreads(bool &stopped_any) {
  stopped_any = false;
  for (;;) {
    if (!ListThreads(tids))
      return "the threads cannot be listed without /proc";
    bool found = false;
    if (!are_sleepers_known)
      sleepers.clear();
    for (const u32 tid : tids) {
      if (IsRawThread(tid) || IsListed(tid))
        continue;
      // In this order: what runs after the first look has another CPU time.
      const bool note = !are_sleepers_known && sleepers.size() <= kMaxSleepers;
      const u64 cpu_ns = note ? ThreadCpuNs(tid) : kUnknownNs;
      const long call = BlockedCall(tid);
      if (MaySleepOn(call) ||
          (tid == helper.process.starter && ThreadHasEnded(tid))) {
        if (note)
          sleepers.push_back({tid, cpu_ns});
        continue;
      }
      threads.push_back({tid, Step::kNew, 0, /*must_stop=*/call >= 0, 0});
      found = true;
    }
    if (!found) {
      are_sleepers_known = true;
      return nullptr;
    }
    if (!Advance(kIdle, kOrdered) && !Advance(kStanding, kOrdered))
      return kNotInTime;
    stopped_any = true;
    if (!WaitWhile(kOrdered))
      return "the process that stops threads was ended from outside";
    switch (LoadAcquire(&helper.phase)) {
    case kStanding:
      break;
    default:
      return helper.error ? WhyRefused() : kNotInTime;
    }
  }
}

bool MayAnySleeperHaveRun() {
  if (!are_sleepers_known || sleepers.size() > kMaxSleepers)
    return true;
  for (const ThreadCpu &sleeper : sleepers)
    if (MayHaveRunSince(sleeper))
      return true;
  return false;
}

bool StillStanding() {
  const u32 phase = LoadAcquire(&helper.phase);
  return phase == kStanding || phase == kIdle;
}

bool AnyUnseenToStop() {
  for (const StoppedThread &thread : threads)
    if (thread.step == Step::kOutside)
      return true;
  return false;
}

bool AnyStoppedHasChild() {
  for (StoppedThread &thread : threads)
    if (thread.step == Step::kOutside && MayHaveChild(thread))
      return true;
  return false;
}

static StopTimes ReleaseStopped() {
  StopTimes times = {0, false};
  if (!helper.process.pid) {
    ForgetStopped();
    return times;
  }
  times.in_time = Advance(kStanding, kReleased) || Advance(kIdle, kReleased);
  while (LoadAcquire(&helper.phase) != kDone)
    if (!WaitWhile((Phase)LoadAcquire(&helper.phase))) {
      // When it was ended the kernel released the threads, nobody knows when.
      times.in_time = false;
      break;
    }
  if (helper.first_ns && helper.released_ns > helper.first_ns)
    times.pause_ns = helper.released_ns - helper.first_ns;
  if (HelperEnds())
    ForgetStopped();
  if (helper.needs_permission)
    Syscall(SYS_prctl, PR_SET_PTRACER, 0);
  return times;
}

StopTimes ReleaseThreads() {
  const StopTimes times = ReleaseStopped();
  EndOwnStop();
  return times;
}

} // namespace pagetide
