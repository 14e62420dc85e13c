//===- rwlocks_semaphores.cpp - Read-write locks, semaphores and the like -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/sync_common.h"

using namespace pagetide;

//===- Read-write locks ---------------------------------------------------===//

namespace {

// pthread_rwlock_t: readers, writers, the futexes of the write phase and of
// writers, 4 bytes each; further on the writer, and whether processes share the
// lock; the flags say which side it prefers.
constexpr uptr kRwlockBytes = sizeof(pthread_rwlock_t),
               kRwlockWriter = offsetof(pthread_rwlock_t, __data.__cur_writer),
               kRwlockPrefers = offsetof(pthread_rwlock_t, __data.__flags);

inline __attribute__((always_inline)) void MarkReader(const void *lock) {
  MarkObject<kRwlockBytes>(lock, [=] {
    Write(lock, 0, 4);
    MayWrite(lock, 8, 4); // if it is the first of a read phase
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
/// A call that waits first reads who the writer is. It is refused if that is
/// the caller.
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
    MayHaveRead(until, kTimeBytes);                                            \
    if (ShadowReady() && !IsValidTime(until))                                  \
      return REAL_OF(pthread_rwlock_timed##kind##lock)(lock, until);           \
    Mark##Waits(lock, nullptr, 0);                                             \
    return WaitFor(Mark##Waits, lock, kRwlockBytes, [=] {                      \
      return REAL_OF(pthread_rwlock_timed##kind##lock)(lock, until);           \
    });                                                                        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, pthread_rwlock_clock##kind##lock, void *lock,      \
                       int clock, const void *until) {                         \
    MayHaveRead(until, kTimeBytes);                                            \
    if (!IsClock(clock) || (ShadowReady() && !IsValidTime(until)))             \
      return REAL_OF(pthread_rwlock_clock##kind##lock)(lock, clock, until);    \
    Mark##Waits(lock, nullptr, 0);                                             \
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
    MarkMayRead((uptr)semaphore + kSemaphoreWords, 4); // to wait or wake
  });
}

template <typename Real> int WaitForSemaphore(const void *p, Real real) {
  MarkSemaphore(p, nullptr, 0);
  return WaitFor(MarkSemaphore, p, kSemaphoreBytes, real);
}

} // namespace

PAGETIDE_INTERCEPTOR(int, sem_init, void *semaphore, int shared,
                     unsigned value) {
  if ((int)value >= 0) // SEM_VALUE_MAX
    DidWrite(semaphore, kSemaphoreBytes);
  return REAL_OF(sem_init)(semaphore, shared, value);
}
PAGETIDE_INTERCEPTOR(int, sem_wait, void *semaphore) {
  return WaitForSemaphore(semaphore,
                          [=] { return REAL_OF(sem_wait)(semaphore); });
}
PAGETIDE_INTERCEPTOR(int, sem_timedwait, void *semaphore, const void *until) {
  DidRead(until, kTimeBytes);
  if (!IsValidTime(until))
    return REAL_OF(sem_timedwait)(semaphore, until);
  return WaitForSemaphore(
      semaphore, [=] { return REAL_OF(sem_timedwait)(semaphore, until); });
}
PAGETIDE_INTERCEPTOR(int, sem_clockwait, void *semaphore, int clock,
                     const void *until) {
  if (!IsClock(clock))
    return REAL_OF(sem_clockwait)(semaphore, clock, until);
  DidRead(until, kTimeBytes);
  if (!IsValidTime(until))
    return REAL_OF(sem_clockwait)(semaphore, clock, until);
  return WaitForSemaphore(semaphore, [=] {
    return REAL_OF(sem_clockwait)(semaphore, clock, until);
  });
}
PAGETIDE_INTERCEPTOR(int, sem_trywait, void *semaphore) {
  if (!ShadowReady())
    return REAL_OF(sem_trywait)(semaphore);
  Read(semaphore, 0, kSemaphoreWords);
  // Otherwise it probably writes nothing.
  if (*(const volatile u32 *)semaphore)
    Write(semaphore, 0, kSemaphoreWords);
  int result = REAL_OF(sem_trywait)(semaphore);
  if (!result)
    Write(semaphore, 0, kSemaphoreWords);
  return result;
}
PAGETIDE_INTERCEPTOR(int, sem_post, void *semaphore) {
  constexpr u32 kMaxValue = 0x7fffffff; // SEM_VALUE_MAX
  if (ShadowReady() && *(const volatile u32 *)semaphore == kMaxValue)
    MarkMayWrite((uptr)semaphore, kSemaphoreWords),
        Read(semaphore, 0, kSemaphoreWords);
  else
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

// pthread_barrier_t: arrivals, round, count, whether processes share it,
// departures.
constexpr uptr kBarrierBytes = 20, kBarrierOut = 16;

void MarkArrival(const void *barrier) {
  MarkObject<kBarrierBytes>(barrier, [=] {
    Write(barrier, 0, 8);
    Read(barrier, 0, kBarrierOut);
  });
}
/// Another thread may have destroyed the barrier by now. This thread has
/// written to it in any case.
void MarkDeparture(const void *barrier, const void *, int) {
  MarkObject<kBarrierBytes>(barrier, [=] {
    Write(barrier, kBarrierOut, 4);
    MayWrite(barrier, 0, 8); // if it is the last one out
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
  constexpr unsigned kMaxValue = 0x7ffffffe; // others are refused
  if (count && count <= kMaxValue) {
    DidWrite(barrier, kBarrierBytes);
    if (attr)
      DidRead(attr, 4);
  }
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
