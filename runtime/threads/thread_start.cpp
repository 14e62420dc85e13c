//===- thread_start.cpp - Whose shadow is where ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "threads/thread_start.h"

#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/gs_base.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/own_memory.h"
#include "platform/program_events.h"
#include "platform/raw_thread.h"
#include "platform/raw_thread_ids.h"
#include "threads/runtime_threads.h"
#include "threads/slot_requests.h"
#include "threads/start_args.h"

#include "interception/interception.h"
#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace __sanitizer;

DECLARE_REAL(int, pthread_attr_destroy, void *attr)
DECLARE_REAL(int, pthread_key_create, unsigned *key, void (*destructor)(void *))

namespace pagetide {

using shadow_file::kMaxSlots;
using shadow_file::kOrphanSlot;

constinit thread_local ThreadSelf self = {};

static pthread_key_t end_key;
static bool has_end_key;
static Lock slots_lock;
/// Threads may share thread-local storage: `self` does not tell them apart.
static u32 shared_storage;
/// Threads may share slots without our doing.
static u32 strangers;
/// Threads that share the orphan slot by our doing.
static u32 orphans;
static u32 free_slots[kMaxSlots];
static u32 free_count;
static u32 retired_count;

//===- Slots --------------------------------------------------------------===//

u32 CurrentSlot() {
  const u32 known = self.slot_plus_one;
  if (known && !LoadAcquire(&shared_storage))
    return known - 1;
  uptr base = GetShadowBase();
  if (known && (base == shadow.slot_base[known - 1] || base == ScratchShadow()))
    return known - 1;
  for (u32 i = 0; i < shadow.header->slot_high; ++i)
    if (shadow.slot_base[i] == base) {
      const u32 slot = i < shadow.first_shared ? i : kOrphanSlot;
      self.slot_plus_one = slot + 1;
      return slot;
    }
  return kOrphanSlot;
}

void FreeSlot(u32 slot) {
  ScopedLock hold(slots_lock);
  if (shadow.slots[slot].state == (u32)SlotState::kRetired)
    __atomic_fetch_sub(&retired_count, 1, __ATOMIC_RELAXED);
  StoreRelease(&shadow.slots[slot].state, (u32)SlotState::kFree);
  free_slots[free_count++] = slot;
}

bool SharesSlot(u32 slot) {
  return LoadAcquire(&strangers) && shadow.slots[slot].tid != GetTidRaw();
}

void StrangersStay() { StoreRelease(&strangers, 1); }

u32 RetiredSlots() { return LoadAcquire(&retired_count); }

void RetireSlot(u32 slot) {
  // The thread itself and the recorder, which finds it gone, may both come.
  SlotEntry &entry = shadow.slots[slot];
  u32 live = (u32)SlotState::kLive;
  entry.end_ns = MonotonicNs();
  if (!__atomic_compare_exchange_n(&entry.state, &live,
                                   (u32)SlotState::kRetired, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  EndCallsInFlight(entry);
  __atomic_fetch_add(&retired_count, 1, __ATOMIC_RELAXED);
}

u32 TakeFreeSlot() {
  ScopedLock hold(slots_lock);
  return free_count ? free_slots[--free_count] : kOrphanSlot;
}

/// The shadow that a thread of this slot is to mark. For threads without one of
/// their own it is each of the shared ones in turn.
static uptr BaseForThread(u32 slot) {
  if (slot != kOrphanSlot)
    return shadow.slot_base[slot];
  static u32 turn;
  const u32 first = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
  for (u32 i = 0; i < shadow.shared_count; ++i)
    if (uptr base =
            LoadAcquire(&shadow.slot_base[shadow.first_shared +
                                          (first + i) % shadow.shared_count]))
      return base;
  return shadow.slot_base[kOrphanSlot];
}

static u32 AcquireSlot() {
  u32 slot = TakeFreeSlot();
  return slot != kOrphanSlot ? slot : RequestSlot();
}

/// Threads whose slots have been taken by others. They have ended to us, and to
/// pthread_join, but the kernel may list them for a while longer.
static u32 former_threads[64];
static u32 former_count;

/// The calling thread has the slot from now on.
static void TakeSlot(u32 slot) {
  if (u32 former = shadow.slots[slot].tid) {
    u32 place = __atomic_fetch_add(&former_count, 1, __ATOMIC_RELAXED) %
                (sizeof(former_threads) / sizeof(former_threads[0]));
    StoreRelease(&former_threads[place], former);
  }
  BeginSlot(slot, GetTidRaw());
}

/// Points the calling thread at a slot that belongs to it. Where not even the
/// orphan slot could be mapped it keeps its creator's.
static void EnterSlot(u32 slot) {
  const uptr base = BaseForThread(slot);
  if (!base)
    return;
  SetShadowBase(base);
  self.slot_plus_one = slot + 1;
  if (slot != kOrphanSlot)
    TakeSlot(slot);
  else
    __atomic_fetch_add(&orphans, 1, __ATOMIC_RELAXED);
}

//===- Where a thread's memory is -----------------------------------------===//

static ThreadArea areas[kMaxSlots];

ThreadArea AreaOfSlot(u32 slot) {
  const uptr bytes = LoadAcquire(&areas[slot].bytes);
  return {areas[slot].begin, bytes, areas[slot].is_stack};
}

static bool AreasWanted() {
  return GetFlags().kernel_writes || EngineListens();
}

static uptr ThreadPointer() {
  uptr pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/// The end of the pages of libc's descriptor of the calling thread, which lies
/// at the thread pointer.
static uptr EndOfDescriptor() {
  constexpr uptr kDescriptor = 2304; // sizeof(struct pthread), glibc 2.36
  return (ThreadPointer() + kDescriptor + kPageBytes - 1) & ~(kPageBytes - 1);
}

static void SetArea(u32 slot, uptr begin, uptr bytes, bool is_stack) {
  areas[slot].bytes = 0;
  areas[slot].begin = begin;
  areas[slot].is_stack = is_stack;
  StoreRelease(&areas[slot].bytes, bytes);
}

/// The bytes a thread made with `attributes` (may be null) has for its stack,
/// its thread-local storage and libc's descriptor. (Asking the thread itself,
/// by pthread_getattr_np, would have it allocate memory.)
static uptr StackBytes(const void *attributes) {
  size_t bytes = 0;
  if (attributes) {
    pthread_attr_getstacksize((const pthread_attr_t *)attributes, &bytes);
    return bytes;
  }
  pthread_attr_t defaults; // by a call that no interceptor marks
  if (!pthread_getattr_default_np(&defaults)) {
    pthread_attr_getstacksize(&defaults, &bytes);
    REAL(pthread_attr_destroy)(&defaults);
  }
  return bytes;
}

/// On a thread that libc made: its descriptor is the end of its memory.
static void NoteStack(u32 slot, uptr bytes) {
  const uptr end = EndOfDescriptor();
  SetArea(slot, (end - bytes) & ~(kPageBytes - 1), bytes, true);
}

/// On the first thread: its stack has a name, its static thread-local storage
/// has not. The blocks of the modules lie below the thread pointer, libc's
/// descriptor above.
static void NoteThreadLocal(u32 slot) {
  const uptr thread_pointer = ThreadPointer();
  struct Search {
    uptr pointer, lowest;
  } search = {thread_pointer, thread_pointer};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *arg) {
        constexpr uptr kMostStatic = 1 << 20;
        Search &s = *(Search *)arg;
        const uptr block = (uptr)info->dlpi_tls_data;
        if (block < s.lowest && s.pointer - block < kMostStatic)
          s.lowest = block;
        return 0;
      },
      &search);
  const uptr begin = search.lowest & ~(kPageBytes - 1);
  SetArea(slot, begin, EndOfDescriptor() - begin, false);
}

//===- Start and end ------------------------------------------------------===//

bool SetsSignals(const void *attributes) {
  sigset_t set;
  return attributes &&
         !pthread_attr_getsigmask_np((const pthread_attr_t *)attributes, &set);
}

/// The program may have given the thread a stack, which may be protected already.
static void ExcludeOwnStack(const void *attributes) {
  void *stack = nullptr;
  size_t bytes = 0;
  if (EngineListens() && attributes &&
      !pthread_attr_getstack((const pthread_attr_t *)attributes, &stack,
                             &bytes) &&
      stack && bytes)
    ExcludeFromProtection((uptr)stack, (uptr)stack + bytes);
}

ThreadStart *PrepareThread(void *(*run)(void *), void *arg, const u64 *signals,
                           const void *attributes) {
  static_assert(sizeof(ThreadStart) <= kStartBlockBytes);
  auto *start = (ThreadStart *)TakeStartBlock();
  *start = {run,
            arg,
            AcquireSlot(),
            signals != nullptr,
            signals ? *signals : 0,
            AreasWanted() ? StackBytes(attributes) : 0};
  ExcludeOwnStack(attributes);
  HoldProtection(+1);
  CountThread(+1);
  return start;
}

void CancelThread(ThreadStart *start) {
  HoldProtection(-1);
  CountThread(-1);
  if (start->slot != kOrphanSlot)
    FreeSlot(start->slot);
  GiveStartBlock(start);
}

/// Has the key's destructor run when the calling thread ends.
static void SetEndKey(uptr round) {
  if (has_end_key)
    pthread_setspecific(end_key, (void *)round);
}

/// The key's destructor. Others' destructors may still run instrumented code,
/// and libc calls them in rounds: the last round is ours.
static void EndThread(void *round) {
  if ((uptr)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    SetEndKey((uptr)round + 1);
    return;
  }
  self.ended = true;
  CountThread(-1);
  ThreadEnds();
  u32 slot = CurrentSlot();
  if (slot == kOrphanSlot) {
    __atomic_fetch_sub(&orphans, 1, __ATOMIC_RELAXED);
    // Calls that the thread was cancelled in.
    __atomic_fetch_sub(&shadow.header->orphan_calls_in_flight,
                       self.orphan_calls, __ATOMIC_ACQ_REL);
    self.orphan_calls = 0;
  }
  // Without an orphan slot (no thread was ever created: main calls
  // pthread_exit) the thread keeps what it has.
  if (slot == kOrphanSlot || !shadow.slot_base[kOrphanSlot])
    return;
  ScopedBlockSignals block_signals; // a handler would mark into a free slot
  if (!self.leave_out)              // left out for good, it stays so
    SetShadowBase(shadow.slot_base[kOrphanSlot]);
  self.slot_plus_one = kOrphanSlot + 1;
  RetireSlot(slot);
}

void *RunThread(void *arg) {
  auto *start = (ThreadStart *)arg;
  ThreadStart copy = *start;
  {
    // Until here the thread had its creator's base.
    ScopedBlockSignals block_signals;
    EnterSlot(copy.slot);
    GiveStartBlock(start);
  }
  SetEndKey(1);
  if (AreasWanted() && copy.slot != kOrphanSlot)
    NoteStack(copy.slot, copy.stack_bytes);
  if (EngineListens()) {
    // For good: libc gives the stack of a thread that has ended to others.
    const uptr end = EndOfDescriptor();
    ExcludeFromProtection(end - copy.stack_bytes, end);
    HoldProtection(-1);
    ThreadBegins();
  }
  if (copy.set_signals)
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&copy.signals, 0, 8);
  return copy.run(copy.arg);
}

void AdoptThread() {
  {
    ScopedBlockSignals block_signals;
    CountThread(+1);
    EnterSlot(AcquireSlot());
    SetEndKey(1);
  }
  if (!EngineListens())
    return;
  const uptr end = EndOfDescriptor();
  ExcludeFromProtection(end - StackBytes(nullptr), end);
  ThreadBegins();
}

//===- Clones -------------------------------------------------------------===//

// No thread-local storage here: it may be the creator's, or too small.

CloneStart *PrepareClone(int (*run)(void *), void *arg, u64 signals) {
  StoreRelease(&shared_storage, 1);
  static_assert(sizeof(CloneStart) <= kStartBlockBytes);
  auto *start = (CloneStart *)TakeStartBlock();
  *start = {run, arg, AcquireSlot(), signals};
  return start;
}

void CancelClone(CloneStart *start) {
  if (start->slot != kOrphanSlot)
    FreeSlot(start->slot);
  GiveStartBlock(start);
}

int RunClone(void *arg) {
  const CloneStart copy = *(CloneStart *)arg;
  if (uptr base = BaseForThread(copy.slot))
    SetShadowBase(base);
  if (copy.slot != kOrphanSlot)
    TakeSlot(copy.slot);
  GiveStartBlock(arg);
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&copy.signals, 0, 8);
  int result = copy.run(copy.arg);
  // It may also leave by the exit system call: the recorder will notice.
  u64 all = signals_to_block;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, 0, 8);
  if (copy.slot != kOrphanSlot) {
    SetShadowBase(shadow.slot_base[kOrphanSlot]);
    RetireSlot(copy.slot);
  }
  return result;
}

//===- Threads that the runtime has not seen being made -------------------===//

static bool IsLive(const SlotEntry &entry) {
  return LoadAcquire(&entry.state) == (u32)SlotState::kLive;
}

void RetireDeadThreads() {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    if (slot != kOrphanSlot && IsLive(entry) &&
        ErrnoOf(Syscall(SYS_tgkill, entry.process, entry.tid, 0)) == ESRCH)
      RetireSlot(slot);
  }
}

/// Whether the thread has a slot, or had one until lately.
static bool HasSlot(u32 tid) {
  for (const u32 &former : former_threads)
    if (LoadAcquire(&former) == tid)
      return true;
  for (u32 slot = 1; slot < shadow.header->slot_high; ++slot)
    if (shadow.slots[slot].tid == tid)
      return true;
  return false;
}

/// Threads that the kernel counts; 0 where there is no /proc.
static u64 CountTasks() {
  struct stat tasks;
  if (Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                     (uptr)&tasks, 0)))
    return 0;
  return tasks.st_nlink - 2; // the directory and its parent
}

bool IsOnlyThread() {
  return CountTasks() <= 1 + RawThreadCount() + RuntimePthreads();
}

void ListStrangers(PageVec<u32> &tids) {
  u64 known = RawThreadCount() + LoadAcquire(&orphans) + RuntimePthreads();
  for (u32 slot = 1; slot < shadow.header->slot_high; ++slot)
    known += IsLive(shadow.slots[slot]) &&
             shadow.slots[slot].process == shadow.header->pid;
  // Where clones are made and end unseen, the count may be right by chance.
  if (CountTasks() <= known && !LoadAcquire(&shared_storage))
    return;
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Failed(fd))
    return;
  PAGETIDE_RECORDER_STATE static u8 buffer[4096];
  for (uptr n;
       !Failed(n = Syscall(SYS_getdents64, fd, (uptr)buffer, sizeof(buffer))) &&
       n;)
    for (uptr at = 0; at < n;) {
      const auto *entry = (const dirent64 *)(buffer + at);
      at += entry->d_reclen;
      u32 tid = (u32)internal_atoll(entry->d_name);
      if (tid && !HasSlot(tid) && !IsRawThread(tid) && !IsRuntimePthread(tid))
        tids.push_back(tid);
    }
  Syscall(SYS_close, fd);
}

//===- Threads that were there before the runtime -------------------------===//

namespace {
struct Attachment {
  u32 tid;
  u32 slot;
  u32 done;
};
} // namespace

static void AttachHandler(int, siginfo_t *info, void *) {
  auto *attachment = (Attachment *)info->si_value.sival_ptr;
  EnterSlot(attachment->slot);
  StoreRelease(&attachment->done, 1);
  FutexWakeAll(&attachment->done);
}

/// Has a thread set its own base, by a signal to it.
static bool Attach(Attachment &attachment, int signal_number) {
  siginfo_t info = {};
  info.si_signo = signal_number;
  info.si_code = SI_QUEUE;
  info.si_pid = (pid_t)GetPidRaw();
  info.si_value.sival_ptr = &attachment;
  if (Failed(Syscall(SYS_rt_tgsigqueueinfo, GetPidRaw(), attachment.tid,
                     (uptr)signal_number, (uptr)&info)))
    return true; // it ended meanwhile
  u64 deadline = MonotonicNs() + 2 * kNsPerSec;
  constexpr u64 kStepNs = 10 * kNsPerMs;
  while (!LoadAcquire(&attachment.done)) {
    if (Failed(Syscall(SYS_tgkill, GetPidRaw(), attachment.tid, 0)))
      break; // it ended meanwhile
    if (MonotonicNs() > deadline)
      return false;
    FutexWait(&attachment.done, 0, MonotonicNs() + kStepNs);
  }
  return true;
}

static void AttachExistingThreads() {
  if (Failed(Syscall(SYS_access, (uptr) "/proc/self/task", 0)))
    Fatal("the process had threads before the first instrumented library was "
          "loaded, and without /proc they cannot be found. Load the library, "
          "or preload libpagetide.so, before creating threads, or mount "
          "/proc.\n");
  PageVec<u32> attached;
  u32 own = GetTidRaw();
  // A real-time signal that the program leaves at its default.
  int number = SIGRTMAX;
  struct sigaction previous;
  for (; number > SIGRTMIN; --number)
    if (!sigaction(number, nullptr, &previous) &&
        !(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_DFL)
      break;
  bool installed = false;
  for (bool found = true; found;) {
    // Threads may create threads meanwhile: look until there is none new.
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
      Attachment attachment = {tid, AcquireSlot(), 0};
      if (!Attach(attachment, number))
        Fatal("thread %u, which was running before the first instrumented "
              "library was loaded, did not answer a signal (it may block "
              "signal %d). Load the library, or preload libpagetide.so, "
              "before creating threads.\n",
              tid, number);
      if (!LoadAcquire(&attachment.done) && attachment.slot != kOrphanSlot)
        FreeSlot(attachment.slot);
      CountThread(+1); // for good: its end is not seen
      attached.push_back(tid);
      found = true;
    }
  }
  if (installed)
    sigaction(number, &previous, nullptr);
  attached.Free();
}

void InitThreads() {
  // The constructors of other libraries may have taken every key.
  if (int error = REAL(pthread_key_create)(&end_key, EndThread))
    Warning("no thread-specific key is to be had (%s), by which the ends of "
            "threads are noticed: the recorder finds them gone instead, and "
            "until then they keep their shadows. Load what takes so many keys "
            "after the program has started.\n",
            DescribeErrno(error));
  else
    has_end_key = true;
  SetEndKey(1);
  const u32 slot = CurrentSlot();
  if (AreasWanted() && slot != kOrphanSlot)
    NoteThreadLocal(slot);
  // Threads created since the shadow was made inherited their creator's base,
  // and share its shadow.
  if (shadow.threads_before)
    AttachExistingThreads();
}

//===- Leaving code out ---------------------------------------------------===//

bool LeaveOut(int change) {
  if (change > 0) {
    u32 slot = CurrentSlot(); // while the base still tells
    if (!self.leave_out) {
      uptr unwanted = EnsureScratchShadow();
      if (!unwanted)
        return false;
      self.slot_plus_one = slot + 1;
      ++self.leave_out; // first: a handler in between nests
      SetShadowBase(unwanted);
      return true;
    }
    ++self.leave_out;
    return true;
  }
  if (!self.leave_out)
    return false;
  if (self.leave_out == 1)
    SetShadowBase(shadow.slot_base[CurrentSlot()]);
  --self.leave_out;
  return true;
}

//===- Fork ---------------------------------------------------------------===//

void LockThreads() { slots_lock.Acquire(); }
void UnlockThreads() { slots_lock.Release(); }

void RenewThreadsInChild() {
  slots_lock.Reset();
  RenewStartBlocksInChild();
  free_count = 0;
  retired_count = 0;
  shared_storage = 0;
  strangers = 0;
  for (u32 &former : former_threads)
    former = 0;
  orphans = CurrentSlot() == kOrphanSlot;
  // Of the parent's shared slots none is mapped here.
  if (orphans && shadow.slot_base[kOrphanSlot] && !self.leave_out)
    SetShadowBase(shadow.slot_base[kOrphanSlot]);
  RenewShadowInChild(CurrentSlot());
}

} // namespace pagetide
