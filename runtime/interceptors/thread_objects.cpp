//===- thread_objects.cpp - Once, attributes, keys, and results of threads ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/sync_common.h"

using namespace pagetide;

//===- Once ---------------------------------------------------------------===//

namespace {

constexpr int kOnceDone = 2;

/// What a call passes to RunOnce, which gets no argument from libc.
struct OnceCall {
  void *control;
  void (*routine)();
};

/// The run of a routine. libc writes the control before it and after it, even
/// if the routine throws.
struct OnceRun : Unwindable {
  void *control;
};

} // namespace

/// Static thread-local storage is scarce in a library that dlopen loads.
static thread_local const OnceCall *once_call;

static __attribute__((noinline)) void RunOnce() {
  PAGETIDE_UNWINDABLE_FRAME();
  const OnceCall call = *once_call;
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
    const OnceCall call = {control, routine};                                  \
    once_call = &call; /* RunOnce comes next on this thread */                 \
    return REAL_OF(name)(control, RunOnce);                                    \
  }
PAGETIDE_ONCE(int, pthread_once)
PAGETIDE_ONCE(void, call_once)

//===- Attributes ---------------------------------------------------------===//

/// A call that sets a few bytes of an attribute object if it succeeds.
#define PAGETIDE_ATTRIBUTE(name, at, bytes, parameters, arguments)             \
  PAGETIDE_INTERCEPTOR(int, name, PAGETIDE_UNPACK parameters) {                \
    int error = REAL_OF(name) arguments;                                       \
    if (!error)                                                                \
      DidWrite((const char *)attr + (at), bytes);                              \
    return error;                                                              \
  }
/// A call that sets some bits of such bytes, and so reads them too.
#define PAGETIDE_ATTRIBUTE_FLAG(name, at, bytes)                               \
  PAGETIDE_INTERCEPTOR(int, name, void *attr, int value) {                     \
    int error = REAL_OF(name)(attr, value);                                    \
    if (!error) {                                                              \
      DidRead((const char *)attr + (at), bytes);                               \
      DidWrite((const char *)attr + (at), bytes);                              \
    }                                                                          \
    return error;                                                              \
  }

namespace {
constexpr uptr kAttrBytes = sizeof(pthread_attr_t), kAttrFlags = 8;
} // namespace

PAGETIDE_ATTRIBUTE(pthread_attr_init, 0, kAttrBytes, (void *attr), (attr))
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setdetachstate, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setinheritsched, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE_FLAG(pthread_attr_setscope, kAttrFlags, 4)
PAGETIDE_ATTRIBUTE(pthread_attr_setguardsize, 16, 8, (void *attr, uptr bytes),
                   (attr, bytes))
PAGETIDE_ATTRIBUTE(pthread_attr_setstacksize, 32, 8, (void *attr, uptr bytes),
                   (attr, bytes))

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

PAGETIDE_ATTRIBUTE(pthread_key_create, 0, 4,
                   (unsigned *attr, void (*destructor)(void *)),
                   (attr, destructor))
PAGETIDE_ATTRIBUTE(tss_create, 0, 4,
                   (unsigned *attr, void (*destructor)(void *)),
                   (attr, destructor))

/// Calls that wait for a thread, or test whether it has ended, and write its
/// result. `time` is read only if it waits.
#define PAGETIDE_JOIN(name, T, time, parameters, arguments)                    \
  PAGETIDE_INTERCEPTOR(int, name, uptr thread,                                 \
                       T *result PAGETIDE_UNPACK parameters) {                 \
    MayHaveRead(time, time ? kTimeBytes : 0);                                  \
    const int error =                                                          \
        WaitFor(nullptr, (const void *)result, result ? sizeof(T) : 0, [=] {   \
          return REAL_OF(name)(thread, result PAGETIDE_UNPACK arguments);      \
        });                                                                    \
    if (!error)                                                                \
      DidWriteAt(result);                                                      \
    return error;                                                              \
  }
constexpr const void *kNoTime = nullptr;
PAGETIDE_JOIN(pthread_join, void *, kNoTime, (), ())
PAGETIDE_JOIN(pthread_tryjoin_np, void *, kNoTime, (), ())
PAGETIDE_JOIN(pthread_timedjoin_np, void *, until, (, const void *until),
              (, until))
PAGETIDE_JOIN(pthread_clockjoin_np, void *, until,
              (, int clock, const void *until), (, clock, until))
PAGETIDE_JOIN(thrd_join, int, kNoTime, (), ())
