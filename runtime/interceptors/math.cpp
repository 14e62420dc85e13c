//===- math.cpp - libm's functions with results in memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not every program has libm. So these functions look for the real ones when
// they are first called. If only a plugin has libm, in its own scope, they load
// it by name.

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

#define LIBM(name)                                                             \
  (REAL(name) ? REAL(name)                                                     \
              : (REAL(name) = (decltype(REAL(name)))FindInLibm(#name)))

/// Many functions share it: it is not expanded in each.
static __attribute__((noinline)) void Wrote(const void *p, uptr bytes) {
  DidWrite(p, bytes);
}
/// Bytes that a store of the type writes.
template <typename T> constexpr uptr kStored = sizeof(T);
template <> constexpr uptr kStored<long double> = 10;

#define PAGETIDE_LIBM_FUNCTIONS(T, suffix)                                     \
  PAGETIDE_INTERCEPTOR(void, sincos##suffix, T x, T *sine, T *cosine) {        \
    OnInterceptedCall();                                                       \
    LIBM(sincos##suffix)(x, sine, cosine);                                     \
    Wrote(sine, kStored<T>);                                                   \
    Wrote(cosine, kStored<T>);                                                 \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(T, remquo##suffix, T x, T y, int *quotient) {           \
    OnInterceptedCall();                                                       \
    T result = LIBM(remquo##suffix)(x, y, quotient);                           \
    if (result == result)                                                      \
      Wrote(quotient, sizeof(int));                                            \
    else /* if it is not a number there is no quotient */                      \
      MayHaveWritten(quotient, sizeof(int));                                   \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(T, lgamma##suffix##_r, T x, int *sign) {                \
    OnInterceptedCall();                                                       \
    T result = LIBM(lgamma##suffix##_r)(x, sign);                              \
    Wrote(sign, sizeof(int));                                                  \
    return result;                                                             \
  }

#define PAGETIDE_LIBM_PARTS(T, suffix)                                         \
  PAGETIDE_INTERCEPTOR(T, frexp##suffix, T x, int *exponent) {                 \
    OnInterceptedCall();                                                       \
    T result = LIBM(frexp##suffix)(x, exponent);                               \
    Wrote(exponent, sizeof(int));                                              \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(T, modf##suffix, T x, T *whole) {                       \
    OnInterceptedCall();                                                       \
    T result = LIBM(modf##suffix)(x, whole);                                   \
    Wrote(whole, kStored<T>);                                                  \
    return result;                                                             \
  }
#define PAGETIDE_LIBM_NUMBERS(T, suffix)                                       \
  PAGETIDE_INTERCEPTOR(int, canonicalize##suffix, T *to, const T *from) {      \
    OnInterceptedCall();                                                       \
    int result = LIBM(canonicalize##suffix)(to, from);                         \
    DidRead(from, kStored<T>);                                                 \
    if (!result)                                                               \
      Wrote(to, kStored<T>);                                                   \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, setpayload##suffix, T *to, T payload) {            \
    OnInterceptedCall();                                                       \
    int result = LIBM(setpayload##suffix)(to, payload);                        \
    Wrote(to, kStored<T>); /* zero after a failure */                          \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, setpayloadsig##suffix, T *to, T payload) {         \
    OnInterceptedCall();                                                       \
    int result = LIBM(setpayloadsig##suffix)(to, payload);                     \
    Wrote(to, kStored<T>);                                                     \
    return result;                                                             \
  }

// frexp and modf of the three old types are in sanitizer_common's table.
#define PAGETIDE_FOR_OLD_TYPES(make)                                           \
  make(double, ) make(float, f) make(long double, l)
#define PAGETIDE_FOR_NEW_TYPES(make)                                           \
  make(float, f32) make(double, f64) make(double, f32x)                        \
      make(long double, f64x) make(__float128, f128)
PAGETIDE_FOR_OLD_TYPES(PAGETIDE_LIBM_FUNCTIONS)
PAGETIDE_FOR_NEW_TYPES(PAGETIDE_LIBM_FUNCTIONS)
PAGETIDE_FOR_NEW_TYPES(PAGETIDE_LIBM_PARTS)
PAGETIDE_FOR_OLD_TYPES(PAGETIDE_LIBM_NUMBERS)
PAGETIDE_FOR_NEW_TYPES(PAGETIDE_LIBM_NUMBERS)

// The floating-point environment.
#define PAGETIDE_LIBM_STATE(name, bytes, rest, rest_arguments)                 \
  PAGETIDE_INTERCEPTOR(int, name, void *p PAGETIDE_UNPACK rest) {              \
    OnInterceptedCall();                                                       \
    int result = LIBM(name)(p PAGETIDE_UNPACK rest_arguments);                 \
    Wrote(p, bytes);                                                           \
    return result;                                                             \
  }
PAGETIDE_LIBM_STATE(fegetenv, 32, (), ())
PAGETIDE_LIBM_STATE(feholdexcept, 32, (), ())
PAGETIDE_LIBM_STATE(fegetmode, 8, (), ())
PAGETIDE_LIBM_STATE(fegetexceptflag, 2, (, int which), (, which))
