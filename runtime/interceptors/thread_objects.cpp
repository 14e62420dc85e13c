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
// pthread_attr_t: priority, policy, flags (4 bytes each). At 16: the guard's
// size, the stack's end and size (8 each). At 40: a pointer to the rest.
constexpr uptr kAttrBytes = sizeof(pthread_attr_t), kAttrFlags = 8,
               kAttrRest = 40;
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
  if (error) { // the priority is none of the policy's
    MayHaveRead(parameter, 4);
    MayHaveRead((const char *)attr + 4, 8);
  }
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
/// Calls that wait for a thread, or test whether it has ended, and write its
/// result.
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
