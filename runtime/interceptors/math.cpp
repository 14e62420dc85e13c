//===- math.cpp - libm's functions with results in memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not every program has libm. So these functions look for the real ones when
// they are first called. If only a plugin has libm, in its own scope, they load
// it by name.
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "platform/messages.h"

#include <dlfcn.h>

using namespace pagetide;

static void *FindInLibm(const char *name) {
  if (void *real = ResolveReal(name))
    return real;
  void *libm = dlopen("libm.so.6", RTLD_LAZY);
  void *real = libm ? dlsym(libm, name) : nullptr;
  if (!real)
    Fatal("%s was called, but libm.so.6 cannot be loaded or does not have it. "
          "Link the program with -lm.\n",
          name);
  return real;
}

#define PAGETIDE_LIBM(type, name, ...)                                         \
  DEFINE_REAL(type, name, __VA_ARGS__)                                         \
  DECLARE_WRAPPER(type, name, __VA_ARGS__)                                     \
  extern "C" INTERCEPTOR_ATTRIBUTE type WRAP(name)(__VA_ARGS__)
#define LIBM(name)                                                             \
  (REAL(name) ? REAL(name)                                                     \
              : (REAL(name) = (decltype(REAL(name)))FindInLibm(#name)))

/// Bytes that a store of the type writes.
template <typename T> constexpr uptr kStored = sizeof(T);
template <> constexpr uptr kStored<long double> = 10;

#define PAGETIDE_LIBM_FUNCTIONS(T, suffix)                                     \
  PAGETIDE_LIBM(void, sincos##suffix, T x, T *sine, T *cosine) {               \
    OnInterceptedCall();                                                       \
    LIBM(sincos##suffix)(x, sine, cosine);                                     \
    DidWrite(sine, kStored<T>);                                                \
    DidWrite(cosine, kStored<T>);                                              \
  }                                                                            \
  PAGETIDE_LIBM(T, remquo##suffix, T x, T y, int *quotient) {                  \
    OnInterceptedCall();                                                       \
    T result = LIBM(remquo##suffix)(x, y, quotient);                           \
    if (result == result)                                                      \
      DidWrite(quotient, sizeof(int));                                         \
    else /* if it is not a number there is no quotient */                      \
      MayHaveWritten(quotient, sizeof(int));                                   \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_LIBM(T, lgamma##suffix##_r, T x, int *sign) {                       \
    OnInterceptedCall();                                                       \
    T result = LIBM(lgamma##suffix##_r)(x, sign);                              \
    DidWrite(sign, sizeof(int));                                               \
    return result;                                                             \
  }

PAGETIDE_LIBM_FUNCTIONS(double, )
PAGETIDE_LIBM_FUNCTIONS(float, f)
PAGETIDE_LIBM_FUNCTIONS(long double, l)
