//===- mutexes.cpp - Mutexes, conditions and their like -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libc writes the program's mutexes, conditions, semaphores and so on. What it
// writes is known to the word (glibc 2.36), and marked before the call, as
// instrumented code marks its own accesses: after an unlock or a post another
// thread may have freed the object already. A call that was refused (EPERM,
// EDEADLK) or found the lock taken counts as an attempt.
//
// A call that waits writes again when it goes on, which may be many periods
// later: its objects are noted as in flight meanwhile, and marked once more
// when it returns, or is left by a cancellation.
//
// To take a lock that is free must stay cheap. A lock is tried first; what
// trying grants is what locking would have granted: pthread_mutex_trylock and
// its like make the same entries as the calls that wait, in every kind of mutex
// (a recursive one held by the caller is counted up, a robust one may come with
// EOWNERDEAD, one of a priority protocol raises the caller's). Where it grants
// nothing it changes nothing, and the real call says why or waits.
//
// Allocators and other libraries lock before the second phase, and while the
// real functions are looked up: each of these finds its own, by itself.
//
// These calls do not count for option end_period_calls: a period that ends
// within one would end with the program's locks held, which a callback may want.
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "platform/gs_base.h"
#include "shadow/marking.h"

using namespace pagetide;

/// The real function; unlike RESOLVED, looks up no others.
#define REAL_OF(name)                                                          \
  (__builtin_expect(REAL(name) != nullptr, 1)                                  \
       ? REAL(name)                                                            \
       : (REAL(name) = (decltype(REAL(name)))ResolveReal(#name)))

namespace {

//===- Marks of an object's words -----------------------------------------===//

void Write(const void *p, uptr at, uptr bytes) {
  MarkWrite((uptr)p + at, bytes);
}
void Read(const void *p, uptr at, uptr bytes) { MarkRead((uptr)p + at, bytes); }
void MayWrite(const void *p, uptr at, uptr bytes) {
  MarkMayWrite((uptr)p + at, bytes);
}

/// Marks an object of which words are read and others written: most lie in one
/// granule whole. Where it does not, `exactly` marks word by word.
template <uptr kBytes, typename Exactly>
inline __attribute__((always_inline)) void MarkObject(const void *p,
                                                      Exactly exactly) {
  if (!ShadowReady() || !InShadowedRange((uptr)p, kBytes))
    return;
  const uptr granule = GranuleOf((uptr)p);
  if (__builtin_expect(granule != GranuleOf((uptr)p + kBytes - 1), 0))
    return exactly();
  const uptr cell = CellIndexOf(granule);
  StoreCell(WriteCellOffset(cell), abi::kCellMarked);
  if (abi::records_reads(shadow.layout))
    StoreCell(ReadCellOffset(cell), abi::kCellMarked);
}

//===- Calls that wait ----------------------------------------------------===//

/// Of a frame that an exception or a cancellation may unwind: what is to be
/// done then. Chained, the innermost first.
struct Unwindable {
  void (*unwound)(Unwindable *);
  Unwindable *outer;
};

void Push(Unwindable &frame) {
  frame.outer = (Unwindable *)self.unwindable;
  self.unwindable = (u64)&frame;
}
void Pop(Unwindable &frame) { self.unwindable = (u64)frame.outer; }

/// What such a call has done. `result` is 0 where it was cancelled.
using MarkFunction = void (*)(const void *object, const void *mutex,
                              int result);

/// A call that may wait, between the marks before and after it.
class Wait : Unwindable {
public:
  Wait(MarkFunction mark, InFlightKind kind, const void *object, uptr bytes,
       const void *mutex, uptr mutex_bytes)
      : Unwindable{Unwound, nullptr}, mark_(mark), object_(object),
        mutex_(mutex),
        mutex_in_flight_(mutex, mutex_bytes, InFlightKind::kObject),
        object_in_flight_(object, bytes, kind) {
    Push(*this);
  }
  ~Wait() {
    if (ShadowReady() && mark_)
      mark_(object_, mutex_, result_);
    Pop(*this);
  }
  int Returns(int result) { return result_ = result; }
  Wait(const Wait &) = delete;
  Wait &operator=(const Wait &) = delete;

private:
  static void Unwound(Unwindable *frame) { ((Wait *)frame)->~Wait(); }
  MarkFunction mark_;
  const void *object_, *mutex_;
  int result_ = 0;
  InFlight mutex_in_flight_, object_in_flight_;
};

} // namespace

/// The personality of frames that hold an Unwindable: they have no handlers,
/// and the runtime no C++ library. Called before the frame is left.
extern "C" __attribute__((used, visibility("hidden"))) int
pagetide_frame_unwound(int, int actions, u64, void *, void *) {
  constexpr int kCleanupPhase = 2, kContinue = 8; // _UA_, _URC_
  if (actions & kCleanupPhase)
    if (auto *frame = (Unwindable *)self.unwindable)
      frame->unwound(frame);
  return kContinue;
}

/// Gives the function that this stands in the personality above. The function
/// must not be inlined, and must hold its Unwindable while it calls.
#define PAGETIDE_UNWINDABLE_FRAME()                                            \
  asm volatile(".cfi_personality 0x1b, pagetide_frame_unwound")

void pagetide::AbandonUnwindable(bool (*left)(uptr, const void *),
                                 const void *arg) {
  while (self.unwindable && left(self.unwindable, arg))
    self.unwindable = (u64)((Unwindable *)self.unwindable)->outer;
}

namespace {

/// Makes a call that may wait for `object`.
template <typename Real>
__attribute__((noinline)) int WaitFor(MarkFunction mark, const void *object,
                                      uptr bytes, Real real) {
  PAGETIDE_UNWINDABLE_FRAME();
  Wait wait(mark, InFlightKind::kObject, object, bytes, nullptr, 0);
  return wait.Returns(real());
}

//===- Mutexes ------------------------------------------------------------===//

// pthread_mutex_t (mtx_t is the same): lock, count, owner, users and kind, four
// bytes each; how long to spin (2); at 24 and 32, of robust ones, its neighbours
// in the thread's list of those it holds.
constexpr uptr kMutexBytes = 40, kMutexOwner = 8, kMutexUsers = 12,
               kMutexKind = 16, kMutexPrevious = 24, kMutexNext = 32;
constexpr u32 kThreadMask = 0x3fffffff; // of a robust one's lock
constexpr int kRecursive = 1, kErrorCheck = 2, kAdaptive = 3, kTypes = 3,
              kRobust = 16;

int KindOf(const void *mutex) {
  return *(const volatile int *)((uptr)mutex + kMutexKind);
}

/// What a lock or an unlock touches in a mutex that nobody else wants.
inline __attribute__((always_inline)) void MarkMutex(const void *mutex) {
  MarkObject<kMutexKind + 4>(mutex, [mutex] {
    Write(mutex, 0, kMutexKind);
    Read(mutex, 0, kMutexKind + 4);
  });
}

/// Before a lock: the caller may hold the mutex already.
bool HeldByCaller(const void *mutex) {
  return *(const volatile u32 *)((uptr)mutex + kMutexOwner) == GetTidRaw();
}
inline __attribute__((always_inline)) void MarkLock(const void *mutex) {
  MarkObject<kMutexKind + 4>(mutex, [mutex] {
    Read(mutex, 0, kMutexKind + 4);
    const int type = KindOf(mutex) & kTypes;
    if ((type == kRecursive || type == kErrorCheck) && HeldByCaller(mutex))
      return type == kRecursive ? Write(mutex, 4, 4) : (void)0;
    Write(mutex, 0, kMutexKind);
  });
}

/// A robust mutex that the thread holds stands in a list: the neighbours were
/// or will be written too. (A list's head is in libc's block of the thread.)
void MarkRobustLinks(const void *mutex) {
  Write(mutex, kMutexPrevious, 16);
  const uptr previous = *(const volatile uptr *)((uptr)mutex + kMutexPrevious);
  const uptr next = *(const volatile uptr *)((uptr)mutex + kMutexNext);
  // Both point at a field `next`; their lowest bit tells a priority protocol.
  if (previous)
    Write((const void *)(previous & ~uptr{1}), 0, 8);
  if (next)
    Write((const void *)((next & ~uptr{1}) - 8), 0, 8);
}

/// One that was taken over from a dead thread has no owner yet.
bool RobustHeldByCaller(const void *mutex) {
  return (*(const volatile u32 *)mutex & kThreadMask) == GetTidRaw();
}

/// Of a call that may give up waiting.
void MarkMutexWanted(const void *mutex) {
  MarkObject<kMutexKind + 4>(mutex, [=] {
    Read(mutex, 0, kMutexKind + 4);
    Write(mutex, 0, 4);
    MayWrite(mutex, 0, kMutexKind);
  });
}
/// After a call that has waited for the mutex.
void MarkMutexTaken(const void *mutex, const void *, int result) {
  if (result == EDEADLK)
    return;
  if (result && result != EOWNERDEAD)
    return MarkMutexWanted(mutex);
  const int kind = KindOf(mutex);
  MarkMutex(mutex);
  if ((kind & kTypes) == kAdaptive)
    MayWrite(mutex, kMutexKind + 4, 4);
  if ((kind & kRobust) && RobustHeldByCaller(mutex))
    MarkRobustLinks(mutex);
}

/// Before an unlock, and all that does one.
__attribute__((noinline)) void MarkUnusualUnlock(const void *mutex) {
  const int kind = KindOf(mutex);
  if ((kind & kTypes) == kRecursive &&
      *(const volatile u32 *)((uptr)mutex + 4) > 1) {
    Write(mutex, 4, 4); // only counted down
    return Read(mutex, 4, kMutexKind);
  }
  MarkMutex(mutex);
  if ((kind & kRobust) && RobustHeldByCaller(mutex)) {
    Read(mutex, kMutexPrevious, 16);
    MarkRobustLinks(mutex);
  }
}
inline __attribute__((always_inline)) void MarkUnlock(const void *mutex) {
  if (!ShadowReady())
    return;
  if (__builtin_expect(KindOf(mutex) & (kRecursive | kRobust), 0))
    return MarkUnusualUnlock(mutex);
  MarkMutex(mutex);
}

constexpr int kSuccess = 0; // also thrd_success

template <typename Real>
__attribute__((noinline)) int LockSlowly(const void *mutex, int tried,
                                         Real real) {
  if (!ShadowReady())
    return tried == kSuccess || tried == EOWNERDEAD ? tried : real();
  if (tried == kSuccess || tried == EOWNERDEAD) {
    MarkRobustLinks(mutex);
    return tried;
  }
  return WaitFor(MarkMutexTaken, mutex, kMutexBytes, real);
}

template <typename Try, typename Real>
inline __attribute__((always_inline)) int TakeLock(const void *mutex,
                                                   Try try_it, Real real) {
  MarkLock(mutex);
  int result = try_it();
  if (__builtin_expect(result == kSuccess && !(KindOf(mutex) & kRobust), 1))
    return result;
  return LockSlowly(mutex, result, real);
}

template <typename Real> int TryLock(const void *mutex, Real real) {
  if (!ShadowReady())
    return real();
  Read(mutex, 0, kMutexKind + 4);
  MayWrite(mutex, 0, kMutexKind);
  int result = real();
  if (result != kSuccess && result != EOWNERDEAD)
    return result;
  MarkMutex(mutex);
  if (KindOf(mutex) & kRobust)
    MarkRobustLinks(mutex);
  return result;
}

constexpr uptr kTimeBytes = 16;

/// A call that is given a time, which libc reads only where it waits.
template <typename Real>
int TimedLock(const void *mutex, const void *time, Real real) {
  MarkMutexWanted(mutex);
  MayHaveRead(time, kTimeBytes);
  return WaitFor(MarkMutexTaken, mutex, kMutexBytes, real);
}

void MarkDestroyed(const void *mutex) {
  if (!ShadowReady())
    return;
  Read(mutex, kMutexUsers, 8);
  const bool in_use = *(const volatile u32 *)((uptr)mutex + kMutexUsers) != 0;
  if (!in_use || (KindOf(mutex) & kRobust)) // else it is refused
    Write(mutex, kMutexKind, 4);
}

} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_mutex_init, void *mutex, const void *attr) {
  DidWrite(mutex, kMutexBytes);
  if (attr)
    DidRead(attr, 4);
  return REAL_OF(pthread_mutex_init)(mutex, attr);
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_destroy, void *mutex) {
  MarkDestroyed(mutex);
  return REAL_OF(pthread_mutex_destroy)(mutex);
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_trylock, void *mutex) {
  return TryLock(mutex, [=] { return REAL_OF(pthread_mutex_trylock)(mutex); });
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_lock, void *mutex) {
  return TakeLock(
      mutex, [=] { return REAL_OF(pthread_mutex_trylock)(mutex); },
      [=] { return REAL_OF(pthread_mutex_lock)(mutex); });
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_timedlock, void *mutex,
                     const void *until) {
  return TimedLock(mutex, until, [=] {
    return REAL_OF(pthread_mutex_timedlock)(mutex, until);
  });
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_clocklock, void *mutex, int clock,
                     const void *until) {
  return TimedLock(mutex, until, [=] {
    return REAL_OF(pthread_mutex_clocklock)(mutex, clock, until);
  });
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_unlock, void *mutex) {
  MarkUnlock(mutex);
  return REAL_OF(pthread_mutex_unlock)(mutex);
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_consistent, void *mutex) {
  constexpr u32 kInconsistent = 0x7fffffff;
  if (ShadowReady()) {
    Read(mutex, kMutexKind, 4);
    const bool robust = KindOf(mutex) & kRobust;
    if (robust)
      Read(mutex, kMutexOwner, 4);
    if (robust && *(const volatile u32 *)((uptr)mutex + kMutexOwner) ==
                      kInconsistent) // else it is refused
      Write(mutex, kMutexOwner, 4);
  }
  return REAL_OF(pthread_mutex_consistent)(mutex);
}
/// It takes the lock, unless the caller holds it, and changes the ceiling in it.
PAGETIDE_INTERCEPTOR(int, pthread_mutex_setprioceiling, void *mutex,
                     int ceiling, int *old) {
  MarkMutexWanted(mutex);
  auto mark = [](const void *p, const void *, int) { MarkMutexWanted(p); };
  int error = WaitFor(mark, mutex, kMutexBytes, [=] {
    return REAL_OF(pthread_mutex_setprioceiling)(mutex, ceiling, old);
  });
  if (!error)
    DidWriteAt(old);
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_getprioceiling, const void *mutex,
                     int *ceiling) {
  DidRead(mutex, kMutexKind + 4);
  int error = REAL_OF(pthread_mutex_getprioceiling)(mutex, ceiling);
  if (!error)
    DidWriteAt(ceiling);
  return error;
}

PAGETIDE_INTERCEPTOR(int, mtx_init, void *mutex, int type) {
  DidWrite(mutex, kMutexBytes);
  return REAL_OF(mtx_init)(mutex, type);
}
PAGETIDE_INTERCEPTOR(void, mtx_destroy, void *mutex) {
  MarkDestroyed(mutex);
  REAL_OF(mtx_destroy)(mutex);
}
PAGETIDE_INTERCEPTOR(int, mtx_trylock, void *mutex) {
  return TryLock(mutex, [=] { return REAL_OF(mtx_trylock)(mutex); });
}
PAGETIDE_INTERCEPTOR(int, mtx_lock, void *mutex) {
  return TakeLock(
      mutex, [=] { return REAL_OF(mtx_trylock)(mutex); },
      [=] { return REAL_OF(mtx_lock)(mutex); });
}
PAGETIDE_INTERCEPTOR(int, mtx_timedlock, void *mutex, const void *until) {
  return TimedLock(mutex, until,
                   [=] { return REAL_OF(mtx_timedlock)(mutex, until); });
}
PAGETIDE_INTERCEPTOR(int, mtx_unlock, void *mutex) {
  MarkUnlock(mutex);
  return REAL_OF(mtx_unlock)(mutex);
}

//===- Conditions ---------------------------------------------------------===//

namespace {

// pthread_cond_t (cnd_t is the same): the waiters' sequence (8 bytes), where
// group 1 starts (8), references and sizes of two groups (4 times 4), at 32 the
// size that group 1 had, with the lock in it, at 36 how many use it, signals of
// two groups (2 times 4).
constexpr uptr kConditionBytes = 48, kConditionLock = 32, kConditionUsers = 36;

/// A wait enters, and leaves. What else it writes depends on who else is there.
void MarkWaiter(const void *condition) {
  MarkObject<kConditionBytes>(condition, [=] {
    Write(condition, 0, 8);
    Write(condition, kConditionUsers, 4);
    MayWrite(condition, 0, kConditionBytes);
    Read(condition, 0, kConditionBytes);
  });
}
void MarkWaitIsOver(const void *condition, const void *mutex, int) {
  MarkObject<kConditionBytes>(condition, [=] {
    Write(condition, kConditionUsers, 4);
    MayWrite(condition, 0, kConditionBytes);
    Read(condition, 0, kConditionBytes);
  });
  MarkMutexTaken(mutex, nullptr, 0);
}

/// Writes nothing where nobody waits, which may change before libc looks.
void MarkSignal(const void *condition) {
  if (!ShadowReady())
    return;
  Read(condition, kConditionUsers, 4);
  const u32 users = *(const volatile u32 *)((uptr)condition + kConditionUsers);
  if (users >> 3) // below are flags
    Write(condition, kConditionLock, 4);
  MayWrite(condition, 0, kConditionBytes);
}

template <typename Real>
__attribute__((noinline)) int WaitOn(const void *condition, const void *mutex,
                                     Real real) {
  PAGETIDE_UNWINDABLE_FRAME();
  MarkWaiter(condition);
  MarkUnlock(mutex);
  Wait wait(MarkWaitIsOver, InFlightKind::kCondition, condition,
            kConditionBytes, mutex, kMutexBytes);
  return real();
}

template <typename Real>
int WaitOnUntil(const void *condition, const void *mutex, const void *until,
                Real real) {
  DidRead(until, kTimeBytes);
  return WaitOn(condition, mutex, real);
}

} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_cond_init, void *condition,
                     const void *attr) {
  DidWrite(condition, kConditionBytes);
  if (attr) {
    DidRead(attr, 4);
    DidRead((const char *)condition + kConditionUsers, 4); // adds flags
  }
  return REAL_OF(pthread_cond_init)(condition, attr);
}
#define PAGETIDE_CONDITION_CALLS(type, prefix)                                 \
  PAGETIDE_INTERCEPTOR(type, prefix##_destroy, void *condition) {              \
    MarkObject<kConditionBytes>(condition, [=] {                               \
      Write(condition, kConditionUsers, 4);                                    \
      Read(condition, kConditionUsers, 4);                                     \
    });                                                                        \
    return REAL_OF(prefix##_destroy)(condition);                               \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_signal, void *condition) {                \
    MarkSignal(condition);                                                     \
    return REAL_OF(prefix##_signal)(condition);                                \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_broadcast, void *condition) {             \
    MarkSignal(condition);                                                     \
    return REAL_OF(prefix##_broadcast)(condition);                             \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_wait, void *condition, void *mutex) {     \
    return WaitOn(condition, mutex,                                            \
                  [=] { return REAL_OF(prefix##_wait)(condition, mutex); });   \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_timedwait, void *condition, void *mutex,  \
                       const void *until) {                                    \
    return WaitOnUntil(condition, mutex, until, [=] {                          \
      return REAL_OF(prefix##_timedwait)(condition, mutex, until);             \
    });                                                                        \
  }
PAGETIDE_CONDITION_CALLS(int, pthread_cond)
PAGETIDE_INTERCEPTOR(int, cnd_init, void *condition) {
  DidWrite(condition, kConditionBytes);
  return REAL_OF(cnd_init)(condition);
}
PAGETIDE_CONDITION_CALLS(void, cnd)
PAGETIDE_INTERCEPTOR(int, pthread_cond_clockwait, void *condition, void *mutex,
                     int clock, const void *until) {
  return WaitOnUntil(condition, mutex, until, [=] {
    return REAL_OF(pthread_cond_clockwait)(condition, mutex, clock, until);
  });
}

//===- Read-write locks ---------------------------------------------------===//

namespace {

// pthread_rwlock_t: readers, writers, the futexes of the write phase and of
// writers, 4 bytes each; at 24 the writer, then whether processes share it; at
// 48 whom it prefers.
constexpr uptr kRwlockBytes = 56, kRwlockWriter = 24, kRwlockPrefers = 48;

inline __attribute__((always_inline)) void MarkReader(const void *lock) {
  MarkObject<kRwlockBytes>(lock, [=] {
    Write(lock, 0, 4);
    MayWrite(lock, 8, 4); // the first of a read phase
    Read(lock, 0, 4);
    MarkMayRead((uptr)lock + kRwlockPrefers, 4);
  });
}
inline __attribute__((always_inline)) void MarkWriter(const void *lock) {
  MarkObject<kRwlockBytes>(lock, [=] {
    Write(lock, 0, 16);
    Write(lock, kRwlockWriter, 4);
    Read(lock, 0, 4);
    Read(lock, kRwlockPrefers, 4);
  });
}
inline __attribute__((always_inline)) void MarkRwlockRelease(const void *lock) {
  if (!ShadowReady())
    return;
  MarkObject<kRwlockBytes>(lock, [=] {
    if (*(const volatile u32 *)((uptr)lock + kRwlockWriter)) {
      MarkWriter(lock);
      Read(lock, 0, 16);
    } else {
      MarkReader(lock);
    }
    Read(lock, kRwlockWriter, 8);
  });
}
/// A call that waits first looks who writes, and is refused where the caller
/// does.
void MarkReaderWaits(const void *lock, const void *, int result) {
  if (result != EDEADLK)
    MarkReader(lock);
  DidRead((const char *)lock + kRwlockWriter, 8);
}
void MarkWriterWaits(const void *lock, const void *, int result) {
  if (result != EDEADLK)
    MarkWriter(lock);
  DidRead((const char *)lock + kRwlockWriter, 8);
}

template <typename Mark, typename Real>
int TryRwlock(const void *lock, Mark mark, Real real) {
  if (!ShadowReady())
    return real();
  Read(lock, 0, 4);
  MarkMayRead((uptr)lock + kRwlockPrefers, 4);
  MayWrite(lock, 0, kRwlockWriter + 4);
  int result = real();
  if (!result)
    mark(lock);
  return result;
}

} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_rwlock_init, void *lock, const void *attr) {
  DidWrite(lock, kRwlockBytes);
  if (attr)
    DidRead(attr, 8);
  return REAL_OF(pthread_rwlock_init)(lock, attr);
}
#define PAGETIDE_RWLOCK_CALLS(kind, Mark)                                      \
  PAGETIDE_INTERCEPTOR(int, pthread_rwlock_try##kind##lock, void *lock) {      \
    return TryRwlock(                                                          \
        lock, [](const void *p) { Mark(p); },                                  \
        [=] { return REAL_OF(pthread_rwlock_try##kind##lock)(lock); });        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, pthread_rwlock_##kind##lock, void *lock) {         \
    Mark(lock);                                                                \
    if (__builtin_expect(!REAL_OF(pthread_rwlock_try##kind##lock)(lock), 1))   \
      return 0;                                                                \
    return WaitFor(Mark##Waits, lock, kRwlockBytes, [=] {                      \
      return REAL_OF(pthread_rwlock_##kind##lock)(lock);                       \
    });                                                                        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, pthread_rwlock_timed##kind##lock, void *lock,      \
                       const void *until) {                                    \
    Mark##Waits(lock, nullptr, 0);                                             \
    MayHaveRead(until, kTimeBytes);                                            \
    return WaitFor(Mark##Waits, lock, kRwlockBytes, [=] {                      \
      return REAL_OF(pthread_rwlock_timed##kind##lock)(lock, until);           \
    });                                                                        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, pthread_rwlock_clock##kind##lock, void *lock,      \
                       int clock, const void *until) {                         \
    Mark##Waits(lock, nullptr, 0);                                             \
    MayHaveRead(until, kTimeBytes);                                            \
    return WaitFor(Mark##Waits, lock, kRwlockBytes, [=] {                      \
      return REAL_OF(pthread_rwlock_clock##kind##lock)(lock, clock, until);    \
    });                                                                        \
  }
PAGETIDE_RWLOCK_CALLS(rd, MarkReader)
PAGETIDE_RWLOCK_CALLS(wr, MarkWriter)
PAGETIDE_INTERCEPTOR(int, pthread_rwlock_unlock, void *lock) {
  MarkRwlockRelease(lock);
  return REAL_OF(pthread_rwlock_unlock)(lock);
}

//===- Semaphores ---------------------------------------------------------===//

namespace {

// sem_t: the value and the number of waiters (8 bytes), whether processes share
// it (4).
constexpr uptr kSemaphoreWords = 8, kSemaphoreBytes = 12;

void MarkSemaphore(const void *semaphore, const void *, int) {
  MarkObject<kSemaphoreBytes>(semaphore, [=] {
    Write(semaphore, 0, kSemaphoreWords);
    Read(semaphore, 0, kSemaphoreWords);
    MarkMayRead((uptr)semaphore + kSemaphoreWords, 4); // to wait, or wake
  });
}

template <typename Real> int WaitForSemaphore(const void *p, Real real) {
  MarkSemaphore(p, nullptr, 0);
  return WaitFor(MarkSemaphore, p, kSemaphoreBytes, real);
}

} // namespace

PAGETIDE_INTERCEPTOR(int, sem_init, void *semaphore, int shared,
                     unsigned value) {
  DidWrite(semaphore, kSemaphoreBytes);
  return REAL_OF(sem_init)(semaphore, shared, value);
}
PAGETIDE_INTERCEPTOR(int, sem_wait, void *semaphore) {
  return WaitForSemaphore(semaphore,
                          [=] { return REAL_OF(sem_wait)(semaphore); });
}
PAGETIDE_INTERCEPTOR(int, sem_timedwait, void *semaphore, const void *until) {
  DidRead(until, kTimeBytes);
  return WaitForSemaphore(
      semaphore, [=] { return REAL_OF(sem_timedwait)(semaphore, until); });
}
PAGETIDE_INTERCEPTOR(int, sem_clockwait, void *semaphore, int clock,
                     const void *until) {
  DidRead(until, kTimeBytes);
  return WaitForSemaphore(semaphore, [=] {
    return REAL_OF(sem_clockwait)(semaphore, clock, until);
  });
}
PAGETIDE_INTERCEPTOR(int, sem_trywait, void *semaphore) {
  if (!ShadowReady())
    return REAL_OF(sem_trywait)(semaphore);
  Read(semaphore, 0, kSemaphoreWords);
  if (*(const volatile u32 *)semaphore) // else it writes nothing, most likely
    Write(semaphore, 0, kSemaphoreWords);
  int result = REAL_OF(sem_trywait)(semaphore);
  if (!result)
    Write(semaphore, 0, kSemaphoreWords);
  return result;
}
PAGETIDE_INTERCEPTOR(int, sem_post, void *semaphore) {
  MarkSemaphore(semaphore, nullptr, 0);
  return REAL_OF(sem_post)(semaphore);
}
PAGETIDE_INTERCEPTOR(int, sem_getvalue, void *semaphore, int *value) {
  DidRead(semaphore, kSemaphoreWords);
  int result = REAL_OF(sem_getvalue)(semaphore, value);
  if (!result)
    DidWriteAt(value);
  return result;
}

//===- Spin locks, barriers -----------------------------------------------===//

namespace {

void MarkSpinlock(const void *lock, const void *, int) {
  MarkObject<4>(lock, [=] {
    Write(lock, 0, 4);
    Read(lock, 0, 4);
  });
}

// pthread_barrier_t: how many came in, the round, how many it is for, whether
// processes share it, how many went out.
constexpr uptr kBarrierBytes = 20, kBarrierOut = 16;

void MarkArrival(const void *barrier) {
  MarkObject<kBarrierBytes>(barrier, [=] {
    Write(barrier, 0, 8);
    Read(barrier, 0, kBarrierOut);
  });
}
/// Another thread may have destroyed the barrier by now; that this one wrote it
/// is as true.
void MarkDeparture(const void *barrier, const void *, int) {
  MarkObject<kBarrierBytes>(barrier, [=] {
    Write(barrier, kBarrierOut, 4);
    MayWrite(barrier, 0, 8); // the last one out
    Read(barrier, 0, kBarrierBytes);
  });
}

} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_spin_init, void *lock, int shared) {
  DidWrite(lock, 4);
  return REAL_OF(pthread_spin_init)(lock, shared);
}
PAGETIDE_INTERCEPTOR(int, pthread_spin_trylock, void *lock) {
  MarkSpinlock(lock, nullptr, 0);
  return REAL_OF(pthread_spin_trylock)(lock);
}
PAGETIDE_INTERCEPTOR(int, pthread_spin_lock, void *lock) {
  MarkSpinlock(lock, nullptr, 0);
  if (__builtin_expect(!REAL_OF(pthread_spin_trylock)(lock), 1))
    return 0;
  return WaitFor(MarkSpinlock, lock, 4,
                 [=] { return REAL_OF(pthread_spin_lock)(lock); });
}
PAGETIDE_INTERCEPTOR(int, pthread_spin_unlock, void *lock) {
  DidWrite(lock, 4);
  return REAL_OF(pthread_spin_unlock)(lock);
}

PAGETIDE_INTERCEPTOR(int, pthread_barrier_init, void *barrier, const void *attr,
                     unsigned count) {
  DidWrite(barrier, kBarrierBytes);
  if (attr)
    DidRead(attr, 4);
  return REAL_OF(pthread_barrier_init)(barrier, attr, count);
}
PAGETIDE_INTERCEPTOR(int, pthread_barrier_wait, void *barrier) {
  MarkArrival(barrier);
  return WaitFor(MarkDeparture, barrier, kBarrierBytes,
                 [=] { return REAL_OF(pthread_barrier_wait)(barrier); });
}
PAGETIDE_INTERCEPTOR(int, pthread_barrier_destroy, void *barrier) {
  MarkObject<kBarrierBytes>(barrier, [=] {
    Write(barrier, kBarrierOut, 4);
    Read(barrier, 0, kBarrierBytes);
  });
  return REAL_OF(pthread_barrier_destroy)(barrier);
}

//===- Once ---------------------------------------------------------------===//

namespace {

constexpr int kOnceDone = 2;

/// What a call hands to RunOnce, which libc gives no argument.
struct OnceCall {
  void *control;
  void (*routine)();
};

/// The run of a routine, which may throw: libc writes the control before and
/// after it in either case.
struct OnceRun : Unwindable {
  void *control;
};

} // namespace

static thread_local OnceCall once_call;

static __attribute__((noinline)) void RunOnce() {
  PAGETIDE_UNWINDABLE_FRAME();
  const OnceCall call = once_call;
  auto unwound = [](Unwindable *frame) {
    DidWrite(((OnceRun *)frame)->control, 4);
    Pop(*frame);
  };
  OnceRun run;
  run.unwound = unwound;
  run.control = call.control;
  DidWrite(call.control, 4);
  Push(run);
  call.routine();
  Pop(run);
  DidWrite(call.control, 4);
}

#define PAGETIDE_ONCE(type, name)                                              \
  PAGETIDE_INTERCEPTOR(type, name, int *control, void (*routine)()) {          \
    DidRead(control, 4);                                                       \
    if (!ShadowReady() ||                                                      \
        (__atomic_load_n(control, __ATOMIC_ACQUIRE) & kOnceDone))              \
      return REAL_OF(name)(control, routine);                                  \
    once_call = {control, routine}; /* RunOnce comes next on this thread */    \
    return REAL_OF(name)(control, RunOnce);                                    \
  }
PAGETIDE_ONCE(int, pthread_once)
PAGETIDE_ONCE(void, call_once)

//===- Attributes ---------------------------------------------------------===//

/// A call that changes a few bytes of an attribute object where it succeeds.
#define PAGETIDE_ATTRIBUTE(name, at, bytes, parameters, arguments)             \
  PAGETIDE_INTERCEPTOR(int, name, PAGETIDE_PARAMETERS parameters) {            \
    int error = REAL_OF(name) arguments;                                       \
    if (!error)                                                                \
      DidWrite((const char *)attr + (at), bytes);                              \
    return error;                                                              \
  }
/// Such a call that leaves the others of the bytes as they are.
#define PAGETIDE_ATTRIBUTE_FLAG(name, at, bytes)                               \
  PAGETIDE_INTERCEPTOR(int, name, void *attr, int value) {                     \
    int error = REAL_OF(name)(attr, value);                                    \
    if (!error) {                                                              \
      DidRead((const char *)attr + (at), bytes);                               \
      DidWrite((const char *)attr + (at), bytes);                              \
    }                                                                          \
    return error;                                                              \
  }
#define PAGETIDE_PARAMETERS(...) __VA_ARGS__

namespace {
// pthread_attr_t: priority, policy, flags (4 bytes each), at 16 the guard's
// size, the stack's end and size (8 each), at 40 a pointer to the rest.
constexpr uptr kAttrBytes = 56, kAttrFlags = 8, kAttrRest = 40;
} // namespace

PAGETIDE_ATTRIBUTE(pthread_attr_init, 0, kAttrBytes, (void *attr), (attr))
PAGETIDE_INTERCEPTOR(int, pthread_getattr_np, uptr thread, void *attr) {
  int error = REAL_OF(pthread_getattr_np)(thread, attr);
  if (!error) {
    DidWrite(attr, kAttrBytes);
    DidRead(attr, kAttrRest + 8);
  }
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_attr_destroy, void *attr) {
  DidRead((const char *)attr + kAttrRest, 8);
  return REAL_OF(pthread_attr_destroy)(attr);
}
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setdetachstate, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setinheritsched, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setscope, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE(pthread_attr_setguardsize, 16, 8, (void *attr, uptr bytes),
                   (attr, bytes))
PAGETIDE_ATTRIBUTE(pthread_attr_setstacksize, 32, 8, (void *attr, uptr bytes),
                   (attr, bytes))

PAGETIDE_INTERCEPTOR(int, pthread_attr_setschedpolicy, void *attr, int policy) {
  int error = REAL_OF(pthread_attr_setschedpolicy)(attr, policy);
  if (!error && ShadowReady()) {
    Read(attr, kAttrFlags, 4);
    Write(attr, 4, 8);
  }
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_attr_setschedparam, void *attr,
                     const void *parameter) {
  int error = REAL_OF(pthread_attr_setschedparam)(attr, parameter);
  if (!error && ShadowReady()) {
    Read(parameter, 0, 4);
    Read(attr, 4, 8);
    Write(attr, 0, 4);
    Write(attr, kAttrFlags, 4);
  }
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_attr_setstack, void *attr, void *stack,
                     uptr bytes) {
  int error = REAL_OF(pthread_attr_setstack)(attr, stack, bytes);
  if (!error && ShadowReady()) {
    Read(attr, kAttrFlags, 4);
    Write(attr, kAttrFlags, 4);
    Write(attr, 24, 16);
  }
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_attr_setaffinity_np, void *attr, uptr bytes,
                     const void *set) {
  int error = REAL_OF(pthread_attr_setaffinity_np)(attr, bytes, set);
  if (!error && ShadowReady()) {
    Read(attr, kAttrRest, 8);
    if (set && bytes) {
      Read(set, 0, bytes);
      MayWrite(attr, kAttrRest, 8);
    }
  }
  return error;
}

PAGETIDE_ATTRIBUTE(pthread_mutexattr_init, 0, 4, (void *attr), (attr))
PAGETIDE_ATTRIBUTE_FLAG(pthread_mutexattr_settype, 0, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_mutexattr_setrobust, 0, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_mutexattr_setprotocol, 0, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_mutexattr_setprioceiling, 0, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_mutexattr_setpshared, 0, 4)
PAGETIDE_ATTRIBUTE(pthread_condattr_init, 0, 4, (void *attr), (attr))
PAGETIDE_ATTRIBUTE_FLAG(pthread_condattr_setclock, 0, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_condattr_setpshared, 0, 4)
PAGETIDE_ATTRIBUTE(pthread_rwlockattr_init, 0, 8, (void *attr), (attr))
PAGETIDE_ATTRIBUTE(pthread_rwlockattr_setkind_np, 0, 4, (void *attr, int kind),
                   (attr, kind))
PAGETIDE_ATTRIBUTE(pthread_rwlockattr_setpshared, 4, 4,
                   (void *attr, int shared), (attr, shared))
PAGETIDE_ATTRIBUTE(pthread_barrierattr_init, 0, 4, (void *attr), (attr))
PAGETIDE_ATTRIBUTE(pthread_barrierattr_setpshared, 0, 4,
                   (void *attr, int shared), (attr, shared))

//===- Keys, and the ends of threads --------------------------------------===//

PAGETIDE_INTERCEPTOR(int, pthread_key_create, unsigned *key,
                     void (*destructor)(void *)) {
  int error = REAL_OF(pthread_key_create)(key, destructor);
  if (!error)
    DidWriteAt(key);
  return error;
}
PAGETIDE_INTERCEPTOR(int, tss_create, unsigned *key,
                     void (*destructor)(void *)) {
  int error = REAL_OF(tss_create)(key, destructor);
  if (!error)
    DidWriteAt(key);
  return error;
}

namespace {
/// Calls that wait for a thread, or ask for it, and write its result.
template <typename T, typename Real> int Join(T *result, Real real) {
  int error =
      WaitFor(nullptr, (const void *)result, result ? sizeof(T) : 0, real);
  if (!error)
    DidWriteAt(result);
  return error;
}
} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_join, uptr thread, void **result) {
  return Join(result, [=] { return REAL_OF(pthread_join)(thread, result); });
}
PAGETIDE_INTERCEPTOR(int, pthread_tryjoin_np, uptr thread, void **result) {
  return Join(result,
              [=] { return REAL_OF(pthread_tryjoin_np)(thread, result); });
}
PAGETIDE_INTERCEPTOR(int, pthread_timedjoin_np, uptr thread, void **result,
                     const void *until) {
  MayHaveRead(until, until ? kTimeBytes : 0);
  return Join(result, [=] {
    return REAL_OF(pthread_timedjoin_np)(thread, result, until);
  });
}
PAGETIDE_INTERCEPTOR(int, pthread_clockjoin_np, uptr thread, void **result,
                     int clock, const void *until) {
  MayHaveRead(until, until ? kTimeBytes : 0);
  return Join(result, [=] {
    return REAL_OF(pthread_clockjoin_np)(thread, result, clock, until);
  });
}
PAGETIDE_INTERCEPTOR(int, thrd_join, uptr thread, int *result) {
  return Join(result, [=] { return REAL_OF(thrd_join)(thread, result); });
}
PAGETIDE_INTERCEPTOR(int, pthread_setcancelstate, int state, int *old) {
  int error = REAL_OF(pthread_setcancelstate)(state, old);
  if (!error)
    DidWriteAt(old);
  return error;
}
PAGETIDE_INTERCEPTOR(int, pthread_setcanceltype, int type, int *old) {
  int error = REAL_OF(pthread_setcanceltype)(type, old);
  if (!error)
    DidWriteAt(old);
  return error;
}
