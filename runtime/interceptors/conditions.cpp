//===- conditions.cpp - Conditions ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/mutex_marks.h"

using namespace pagetide;

namespace {

// pthread_cond_t (cnd_t is the same) begins with the waiters' sequence (8
// bytes). The former size of group 1 has the lock in it. glibc 2.41 moved both
// fields.
constexpr uptr kConditionBytes = sizeof(pthread_cond_t),
               kConditionLock = offsetof(pthread_cond_t, __data.__g1_orig_size),
               kConditionUsers = offsetof(pthread_cond_t, __data.__wrefs);

/// A wait begins, and ends. What else it writes depends on the other waiters.
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

/// libc writes nothing if nobody waits. That may change before libc looks.
void MarkSignal(const void *condition) {
  if (!ShadowReady())
    return;
  Read(condition, kConditionUsers, 4);
  const u32 users = *(const volatile u32 *)((uptr)condition + kConditionUsers);
  if (users >> 3) // the lower bits are flags
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
int WaitOnUntil(const void *condition, const void *mutex, int clock,
                const void *until, Real real) {
  DidRead(until, kTimeBytes);
  if (ShadowReady() && (!IsClock(clock) || !IsValidTime(until)))
    return real(); // it is refused
  return WaitOn(condition, mutex, real);
}

} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_cond_init, void *condition,
                     const void *attr) {
  DidWrite(condition, kConditionBytes);
  if (attr) {
    DidRead(attr, 4);
    if (ValueAt((const int *)attr)) // adds flags
      DidRead((const char *)condition + kConditionUsers, 4);
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
    return WaitOnUntil(condition, mutex, 0, until, [=] {                       \
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
  return WaitOnUntil(condition, mutex, clock, until, [=] {
    return REAL_OF(pthread_cond_clockwait)(condition, mutex, clock, until);
  });
}
