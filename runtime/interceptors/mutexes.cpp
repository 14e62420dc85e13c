//===- mutexes.cpp - Mutexes ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/mutex_marks.h"

using namespace pagetide;

namespace {

/// True if the caller holds the mutex already.
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

/// A robust mutex that the thread holds is in a list, so its neighbours were
/// written too, or will be. (The list's head is in libc's block of the thread.)
void MarkRobustLinks(const void *mutex) {
  Write(mutex, kMutexPrevious, 16);
  const uptr previous = *(const volatile uptr *)((uptr)mutex + kMutexPrevious);
  const uptr next = *(const volatile uptr *)((uptr)mutex + kMutexNext);
  // Both point at a field `next`. Their lowest bit means a priority protocol.
  if (previous)
    Write((const void *)(previous & ~uptr{1}), 0, 8);
  if (next)
    Write((const void *)((next & ~uptr{1}) - 8), 0, 8);
}

/// A mutex that was taken over from a dead thread has no owner yet.
bool RobustHeldByCaller(const void *mutex) {
  return (*(const volatile u32 *)mutex & kThreadMask) == GetTidRaw();
}

/// For a call that may stop waiting.
void MarkMutexWanted(const void *mutex) {
  MarkObject<kMutexKind + 4>(mutex, [=] {
    Read(mutex, 0, kMutexKind + 4);
    Write(mutex, 0, 4);
    MayWrite(mutex, 0, kMutexKind);
  });
}
} // namespace

namespace pagetide {

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

__attribute__((noinline)) void MarkUnusualUnlock(const void *mutex) {
  const int kind = KindOf(mutex), type = kind & kTypes;
  if (!(kind & kRobust) && (type == kRecursive || type == kErrorCheck) &&
      !HeldByCaller(mutex))
    return Read(mutex, 0, kMutexKind + 4); // it is refused
  if (type == kRecursive && *(const volatile u32 *)((uptr)mutex + 4) > 1) {
    Write(mutex, 4, 4); // it only decrements the count
    return Read(mutex, 4, kMutexKind);
  }
  MarkMutex(mutex);
  if ((kind & kRobust) && RobustHeldByCaller(mutex)) {
    Read(mutex, kMutexPrevious, 16);
    MarkRobustLinks(mutex);
  }
}

} // namespace pagetide

namespace {

template <typename Real>
__attribute__((noinline)) int LockSlowly(const void *mutex, Real real) {
  return ShadowReady() ? WaitFor(MarkMutexTaken, mutex, kMutexBytes, real)
                       : real();
}

template <typename Try, typename Real>
inline __attribute__((always_inline)) int TakeLock(const void *mutex,
                                                   Try try_it, Real real) {
  MarkLock(mutex);
  // Where a failed pthread_mutex_trylock changes something, it is not tried. It
  // leaves a robust mutex that cannot be recovered taken for ever. Under a
  // ceiling that the thread may not have, libc refuses only the first call.
  const bool tries = !(KindOf(mutex) & (kRobust | kProtected));
  if (__builtin_expect(tries && try_it() == kSuccess, 1))
    return kSuccess;
  return LockSlowly(mutex, real);
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

/// A call with a time, which libc reads only if it waits.
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

// A mtx_t is a pthread_mutex_t.
#define PAGETIDE_MUTEX_CALLS(type, prefix)                                     \
  PAGETIDE_INTERCEPTOR(type, prefix##_destroy, void *mutex) {                  \
    MarkDestroyed(mutex);                                                      \
    return REAL_OF(prefix##_destroy)(mutex);                                   \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_trylock, void *mutex) {                   \
    return TryLock(mutex, [=] { return REAL_OF(prefix##_trylock)(mutex); });   \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_lock, void *mutex) {                      \
    return TakeLock(                                                           \
        mutex, [=] { return REAL_OF(prefix##_trylock)(mutex); },               \
        [=] { return REAL_OF(prefix##_lock)(mutex); });                        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_timedlock, void *mutex,                   \
                       const void *until) {                                    \
    return TimedLock(mutex, until, [=] {                                       \
      return REAL_OF(prefix##_timedlock)(mutex, until);                        \
    });                                                                        \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prefix##_unlock, void *mutex) {                    \
    MarkUnlock(mutex);                                                         \
    return REAL_OF(prefix##_unlock)(mutex);                                    \
  }
PAGETIDE_MUTEX_CALLS(int, pthread_mutex)
PAGETIDE_MUTEX_CALLS(void, mtx)

PAGETIDE_INTERCEPTOR(int, pthread_mutex_init, void *mutex, const void *attr) {
  DidWrite(mutex, kMutexBytes);
  if (attr)
    DidRead(attr, 4);
  return REAL_OF(pthread_mutex_init)(mutex, attr);
}
PAGETIDE_INTERCEPTOR(int, pthread_mutex_clocklock, void *mutex, int clock,
                     const void *until) {
  if (!IsClock(clock))
    return REAL_OF(pthread_mutex_clocklock)(mutex, clock, until);
  return TimedLock(mutex, until, [=] {
    return REAL_OF(pthread_mutex_clocklock)(mutex, clock, until);
  });
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
/// Takes the lock, unless the caller holds it, and changes the ceiling.
PAGETIDE_INTERCEPTOR(int, pthread_mutex_setprioceiling, void *mutex,
                     int ceiling, int *old) {
  DidRead((const char *)mutex + kMutexKind, 4);
  if (!(KindOf(mutex) & kProtected))
    return REAL_OF(pthread_mutex_setprioceiling)(mutex, ceiling, old);
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
