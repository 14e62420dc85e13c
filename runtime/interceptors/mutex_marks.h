//===- mutex_marks.h - Marks that mutexes and conditions share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/sync_common.h"

namespace pagetide {

// pthread_mutex_t (mtx_t is the same): lock, count, owner, users and kind, four
// bytes each; the spin count (2). A robust mutex has its neighbours in the list
// of robust mutexes that the thread holds.
constexpr uptr kMutexBytes = sizeof(pthread_mutex_t),
               kMutexOwner = offsetof(pthread_mutex_t, __data.__owner),
               kMutexUsers = offsetof(pthread_mutex_t, __data.__nusers),
               kMutexKind = offsetof(pthread_mutex_t, __data.__kind),
               kMutexPrevious = offsetof(pthread_mutex_t, __data.__list.__prev),
               kMutexNext = offsetof(pthread_mutex_t, __data.__list.__next);
constexpr u32 kThreadMask = 0x3fffffff; // in the lock of a robust mutex
constexpr int kRecursive = 1, kErrorCheck = 2, kAdaptive = 3, kTypes = 3,
              kRobust = 16, kProtected = 64;

inline int KindOf(const void *mutex) {
  return *(const volatile int *)((uptr)mutex + kMutexKind);
}

/// What a lock or an unlock touches in an uncontended mutex.
inline __attribute__((always_inline)) void MarkMutex(const void *mutex) {
  MarkObject<kMutexKind + 4>(mutex, [mutex] {
    Write(mutex, 0, kMutexKind);
    Read(mutex, 0, kMutexKind + 4);
  });
}

/// After a call that has waited for the mutex.
void MarkMutexTaken(const void *mutex, const void *, int result);

/// The same for a mutex of a special type, or a robust one.
void MarkUnusualUnlock(const void *mutex);
/// Before an unlock, and before any call that unlocks.
inline __attribute__((always_inline)) void MarkUnlock(const void *mutex) {
  if (!ShadowReady())
    return;
  if (__builtin_expect(KindOf(mutex) & (kTypes | kRobust), 0))
    return MarkUnusualUnlock(mutex);
  MarkMutex(mutex);
}

} // namespace pagetide
