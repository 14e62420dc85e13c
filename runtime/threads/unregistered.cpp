//===- unregistered.cpp - Threads that the runtime did not see being created //
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/unregistered.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/proc_maps.h"
#include "platform/raw_thread_ids.h"
#include "platform/small_file.h"
#include "threads/blocked_call.h"
#include "threads/runtime_threads.h"
#include "threads/slot_requests.h"
#include "threads/slots.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_linux.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

u64 CountTasks() {
  struct stat tasks;
  if (Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                     (uptr)&tasks, 0)))
    return 0;
  return tasks.st_nlink - 2; // the directory and its parent
}

bool IsOnlyThread() {
  return CountTasks() <= 1 + RawThreadCount() + RuntimePthreads();
}

bool OnlyRuntimeIsLeft(u32 &status) {
  if (!IsOnlyThread())
    return false;
  // Of a first thread that has ended, an entry stays as long as others run.
  char text[2048];
  const uptr size =
      ReadSmallFile(AT_FDCWD, "/proc/self/stat", text, sizeof(text) - 1);
  text[size] = 0;
  const char *name_end = internal_strrchr(text, ')');
  const char *last = internal_strrchr(text, ' ');
  if (!name_end || internal_strncmp(name_end, ") Z ", 4) || last < name_end)
    return false;
  status = (u32)internal_atoll(last + 1);
  return true;
}

void ListUnregisteredThreads(PageVec<u32> &tids) {
  const u64 known =
      RawThreadCount() + CountRegisteredThreads() + RuntimePthreads();
  // If clones begin and end unseen, the count may be right by chance.
  if (CountTasks() <= known && !StorageIsShared())
    return;
  PAGETIDE_RECORDER_STATE static PageVec<u32> all;
  ListThreads(all);
  // A bit for each number that a thread can have: asking for each listed thread
  // whether it is registered would take the square of their number.
  PAGETIDE_RECORDER_STATE static PageVec<u64> registered;
  u32 highest = 0;
  for (const u32 tid : all)
    highest = tid > highest ? tid : highest;
  registered.resize(highest / 64 + 1);
  internal_memset(registered.data(), 0, registered.size() * sizeof(u64));
  ForEachRegisteredThread([](u32 tid) {
    if (tid / 64 < registered.size())
      registered[tid / 64] |= u64{1} << tid % 64;
  });
  for (const u32 tid : all)
    if (!(registered[tid / 64] >> tid % 64 & 1) && !IsRawThread(tid) &&
        !IsRuntimePthread(tid))
      tids.push_back(tid);
}

//===- Threads that were there before the runtime -------------------------===//

namespace {
enum AttachStep : u32 { kSent, kAnswered, kSlotGiven, kAttached };

/// A thread that did not answer needs no slot, so it gets one only after that.
struct Attachment {
  u32 step; ///< AttachStep
  u32 slot;
};
} // namespace

static void Advance(Attachment &attachment, AttachStep to) {
  StoreRelease(&attachment.step, to);
  FutexWakeAll(&attachment.step);
}

static void AttachHandler(int, siginfo_t *info, void *) {
  auto &attachment = *(Attachment *)info->si_value.sival_ptr;
  Advance(attachment, kAnswered);
  while (LoadAcquire(&attachment.step) == kAnswered)
    FutexWait(&attachment.step, kAnswered);
  EnterSlot(attachment.slot, GetThreadIdsRaw());
  Advance(attachment, kAttached);
}

/// Makes a thread set its own base, by a signal to it. False if it does not
/// answer.
static bool Attach(u32 tid, int signal_number) {
  Attachment attachment = {kSent, 0};
  siginfo_t info = {};
  info.si_signo = signal_number;
  info.si_code = SI_QUEUE;
  info.si_pid = (pid_t)GetPidRaw();
  info.si_value.sival_ptr = &attachment;
  if (Failed(Syscall(SYS_rt_tgsigqueueinfo, GetPidRaw(), tid,
                     (uptr)signal_number, (uptr)&info)))
    return true; // it has ended
  u64 deadline = MonotonicNs() + 2 * kNsPerSec;
  constexpr u64 kStepNs = 10 * kNsPerMs;
  while (LoadAcquire(&attachment.step) == kSent) {
    if (Failed(Syscall(SYS_tgkill, GetPidRaw(), tid, 0)))
      return true; // it has ended
    if (MonotonicNs() > deadline)
      return false;
    FutexWait(&attachment.step, kSent, MonotonicNs() + kStepNs);
  }
  // The thread waits in the handler, perhaps with locks of libc held. Getting a
  // slot takes none of these.
  {
    ScopedBlockSignals block_signals;
    attachment.slot = AcquireSlot();
  }
  Advance(attachment, kSlotGiven);
  while (LoadAcquire(&attachment.step) != kAttached)
    FutexWait(&attachment.step, kSlotGiven);
  return true;
}

/// A real-time signal that the program leaves at its default; 0: none.
static int FindFreeSignal() {
  struct sigaction action;
  for (int number = SIGRTMAX; number >= SIGRTMIN; --number)
    if (!sigaction(number, nullptr, &action) &&
        !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL)
      return number;
  return 0;
}

/// The signals that a thread blocks, from /proc; 0 if it has ended.
static u64 SignalsBlockedBy(u32 tid) {
  char path[48], text[4096];
  internal_snprintf(path, sizeof(path), "/proc/self/task/%u/status", tid);
  text[ReadSmallFile(AT_FDCWD, path, text, sizeof(text) - 1)] = 0;
  constexpr char kField[] = "SigBlk:\t";
  const char *field = internal_strstr(text, kField);
  if (!field)
    return 0;
  field += sizeof(kField) - 1;
  return ParseHex(field);
}

static bool AnyThreadBlocks(int number) {
  ThreadLister lister(GetPidRaw());
  InternalMmapVector<tid_t> tids;
  lister.ListThreads(&tids);
  for (tid_t tid : tids)
    if (!IsRawThread((u32)tid) &&
        (SignalsBlockedBy((u32)tid) >> (number - 1)) & 1)
      return true;
  return false;
}

bool AnyThreadBlocksAttachment() {
  const int number = FindFreeSignal();
  if (!number)
    return true;
  // A thread that begins or ends blocks all signals for a moment.
  constexpr u64 kStepNs = 10 * kNsPerMs;
  const u64 deadline = MonotonicNs() + 20 * kStepNs;
  const u32 never = 0;
  while (AnyThreadBlocks(number)) {
    if (MonotonicNs() > deadline)
      return true;
    FutexWait(&never, 0, MonotonicNs() + kStepNs);
  }
  return false;
}

void AttachExistingThreads() {
  if (Failed(
          Syscall(SYS_faccessat, (uptr)AT_FDCWD, (uptr) "/proc/self/task", 0)))
    Fatal("the process had threads before the first instrumented library was "
          "loaded, and they cannot be found without /proc. Load the library, "
          "or preload libpagetide.so, before creating threads, or mount "
          "/proc.\n");
  PageVec<u32> attached;
  u32 own = GetTidRaw();
  const int number = FindFreeSignal();
  if (!number)
    Fatal("the process had threads before its marks began, and they cannot be "
          "reached: no real-time signal is free. Load instrumented libraries, "
          "or preload libpagetide.so, before creating threads.\n");
  struct sigaction previous;
  bool installed = false;
  for (bool found = true; found;) {
    // Threads may create threads during this: repeat until no new one is found.
    found = false;
    ThreadLister lister(GetPidRaw());
    InternalMmapVector<tid_t> tids;
    lister.ListThreads(&tids);
    for (tid_t listed : tids) {
      u32 tid = (u32)listed;
      bool known = tid == own || IsRawThread(tid);
      for (u32 t : attached)
        known |= t == tid;
      if (known)
        continue;
      if (!installed) {
        struct sigaction action = {};
        action.sa_sigaction = AttachHandler;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        sigaction(number, &action, &previous);
        installed = true;
      }
      if (!Attach(tid, number))
        Fatal("thread %u, which was running before the first instrumented "
              "library was loaded, did not answer a signal (it may block "
              "signal %d). Load the library, or preload libpagetide.so, "
              "before creating threads.\n",
              tid, number);
      CountThread(+1); // never counted down: its end is not seen
      attached.push_back(tid);
      found = true;
    }
  }
  if (installed)
    sigaction(number, &previous, nullptr);
  attached.Free();
}

} // namespace pagetide
