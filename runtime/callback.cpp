//===- callback.cpp - Giving periods to the program -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "callback.h"

#include "recorder.h"
#include "recorder_state.h"
#include "threads.h"

#include "interception/interception.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

DECLARE_REAL(int, pthread_create, void *thread, const void *attr,
             void *(*run)(void *), void *arg)

namespace pagetide {

namespace {
struct Callback {
  Lock set_lock;  ///< one SetCallback at a time
  bool at_exit;   ///< GiveLastPeriod is registered
  Lock run_lock;  ///< held while the callback runs; never by fork
  Lock data_lock; ///< of function and user, for a moment
  pagetide_callback function;
  void *user;
  bool thread_runs;
  /// In a child that was forked in a callback, until that returns: no period is
  /// given to a second one.
  bool inherited;
  /// 0 idle, 1 a period waits, 2 done.
  u32 state;
  const pagetide_period *period;
};
} // namespace

static Callback callback;

bool HasCallback() {
  return __atomic_load_n(&callback.function, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n(&callback.inherited, __ATOMIC_ACQUIRE);
}

void RunCallback(const pagetide_period &period) {
  callback.run_lock.Acquire();
  callback.data_lock.Acquire();
  pagetide_callback function = callback.function;
  void *user = callback.user;
  callback.data_lock.Release();
  if (function) {
    bool was_in_request = self.in_request;
    self.in_request = true;
    bool left_out = LeaveOut(+1);
    function(&period, user);
    if (left_out)
      LeaveOut(-1);
    self.in_request = was_in_request;
  }
  callback.inherited = false;
  callback.run_lock.Release();
}

static void *CallbackThread(void *) {
  // A real thread of libc: the callback may do what any code may. It never
  // ends, and what it touches is the program's own observation.
  LeaveOut(+1);
  for (;;) {
    u32 state = LoadAcquire(&callback.state);
    if (state != 1) {
      FutexWait(&callback.state, state);
      continue;
    }
    RunCallback(*callback.period);
    StoreRelease(&callback.state, 2);
    WakeRecorder();
  }
}

bool StartCallbackElsewhere(const pagetide_period &period) {
  if (!__atomic_load_n(&callback.thread_runs, __ATOMIC_ACQUIRE))
    return false;
  callback.period = &period;
  StoreRelease(&callback.state, 1);
  FutexWakeAll(&callback.state);
  return true;
}

bool CallbackDone() { return LoadAcquire(&callback.state) == 2; }

static int StartThread() {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error;
  {
    ScopedBlockSignals block_signals; // inherited: the program's are not ours
    error = REAL(pthread_create)(&thread, &attr, CallbackThread, nullptr);
  }
  pthread_attr_destroy(&attr);
  if (!error)
    __atomic_store_n(&callback.thread_runs, true, __ATOMIC_RELEASE);
  return error;
}

/// exit() destroys the program's static objects before this library ends. The
/// callback may use those that stood when it was set; atexit handlers run in
/// reverse order, so here they still stand.
static void GiveLastPeriod() {
  if (!HasCallback())
    return;
  if (Recording())
    RequestPeriodEnd(trace::kPeriodFinal);
  SetCallback(nullptr, nullptr);
}

int SetCallback(pagetide_callback function, void *user) {
  if (self.in_request)
    return PAGETIDE_BUSY;
  ScopedLock set(callback.set_lock);
  if (function && !callback.at_exit) {
    callback.at_exit = true;
    atexit(GiveLastPeriod);
  }
  if (function && !callback.thread_runs && StartThread())
    return PAGETIDE_NO_MEMORY;
  callback.run_lock.Acquire(); // the former one is not running
  {
    ScopedLock hold(callback.data_lock);
    callback.user = user;
    __atomic_store_n(&callback.function, function, __ATOMIC_RELEASE);
  }
  callback.run_lock.Release();
  return PAGETIDE_OK;
}

void LockCallback() { callback.data_lock.Acquire(); }
void UnlockCallback() { callback.data_lock.Release(); }

void DropCallbackInChild() {
  callback.function = nullptr;
  callback.thread_runs = false;
  callback.state = 0;
}

void RenewCallbackInChild() {
  callback.data_lock.Reset();
  callback.set_lock.Reset();
  // The thread that forked may be in the callback, and then goes on in it.
  callback.inherited = self.in_request;
  if (!callback.inherited)
    callback.run_lock.Reset();
  callback.state = 0;
  callback.thread_runs = false;
  if (callback.function)
    StartThread();
}

//===- Description --------------------------------------------------------===//

// The C API's numbers are the trace's.
constexpr bool Same(int api, int trace) { return api == trace; }
static_assert(Same(PAGETIDE_READ, trace::kRunRead) &&
              Same(PAGETIDE_WRITTEN, trace::kRunWritten) &&
              Same(PAGETIDE_ACCESSED, trace::kRunAccessed) &&
              Same(PAGETIDE_CARRIED, trace::kRunCarried) &&
              Same(PAGETIDE_MAY_READ, trace::kRunMayRead) &&
              Same(PAGETIDE_MAY_WRITTEN, trace::kRunMayWritten) &&
              Same(PAGETIDE_STATE_UNREADABLE,
                   (int)ChecksumState::kUnreadable) &&
              Same(PAGETIDE_STATE_GONE, (int)ChecksumState::kGone) &&
              Same(PAGETIDE_STATE_UNSTABLE, (int)ChecksumState::kUnstable) &&
              Same(PAGETIDE_STATE_STABLE, (int)ChecksumState::kStable) &&
              Same(PAGETIDE_PERIOD_DRIVEN, trace::kPeriodDriven) &&
              Same(PAGETIDE_PERIOD_FINAL, trace::kPeriodFinal));

PAGETIDE_RECORDER_STATE static pagetide_period description;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_run> runs;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_thread_set> sections;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_page> pages;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_mapping> added, removed;
PAGETIDE_RECORDER_STATE static MappingList told, telling;

static void Describe(const MappingList &list, const Mapping &m,
                     PageVec<pagetide_mapping> &out) {
  out.push_back({(uintptr_t)m.start, m.bytes, m.protection, list.NameOf(m)});
}

/// Both lists are sorted by start: one pass.
static void CompareMappings() {
  added.clear();
  removed.clear();
  uptr i = 0, j = 0;
  while (i < told.entries.size() || j < telling.entries.size()) {
    const Mapping *a = i < told.entries.size() ? &told.entries[i] : nullptr;
    const Mapping *b =
        j < telling.entries.size() ? &telling.entries[j] : nullptr;
    if (a && b && SameMapping(told, *a, telling, *b)) {
      ++i;
      ++j;
    } else if (a && (!b || a->start <= b->start)) {
      Describe(told, *a, removed);
      ++i;
    } else {
      Describe(telling, *b, added);
      ++j;
    }
  }
}

template <typename T> static void Copy(PageVec<T> &to, const PageVec<T> &from) {
  to.clear();
  to.reserve(from.size());
  for (const T &t : from)
    to.push_back(t);
}

const pagetide_period &DescribePeriod(const PeriodResult &result,
                                      const MappingList &mappings) {
  const u32 shift = shadow.module.granule_shift;
  runs.clear();
  for (const Run &run : result.set.runs)
    runs.push_back({run.granule << shift, run.length << shift, run.flags});
  sections.clear();
  for (const Section &s : result.set.sections)
    sections.push_back({s.tid, s.count, &runs[s.first]});
  pages.clear();
  for (const PageHash &page : result.hashes)
    pages.push_back({page.granule << shift, page.hash, (u32)page.state});
  // What was told last time must outlive this call: it names what went.
  told.entries.swap(telling.entries);
  told.names.swap(telling.names);
  Copy(telling.entries, mappings.entries);
  Copy(telling.names, mappings.names);
  CompareMappings();
  pagetide_period &d = description;
  d.size = sizeof(d);
  d.index = result.entry.index;
  d.start_ns = result.entry.start_ns;
  d.end_ns = result.entry.end_ns;
  d.flags = result.entry.flags;
  d.overruns = result.entry.overruns;
  d.granule = (size_t)1 << shift;
  d.thread_count = sections.size();
  d.threads = sections.data();
  d.page_count = pages.size();
  d.pages = pages.data();
  d.combined_checksum = result.combined.sum;
  d.stable_count = result.combined.stable;
  d.left_out_count = result.combined.left_out;
  d.added_count = added.size();
  d.added = added.data();
  d.removed_count = removed.size();
  d.removed = removed.data();
  return d;
}

} // namespace pagetide
