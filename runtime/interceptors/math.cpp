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
  void *real = libm ? AskDlsym(libm, name) : nullptr;
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

/// A function of libm, and what it has stored.
#define PAGETIDE_LIBM(type, name, parameters, arguments, ...)                  \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK parameters) {               \
    OnInterceptedCall();                                                       \
    type result = LIBM(name) arguments;                                        \
    __VA_ARGS__;                                                               \
    return result;                                                             \
  }

#define PAGETIDE_LIBM_FUNCTIONS(T, suffix)                                     \
  PAGETIDE_INTERCEPTOR(void, sincos##suffix, T x, T *sine, T *cosine) {        \
    OnInterceptedCall();                                                       \
    LIBM(sincos##suffix)(x, sine, cosine);                                     \
    Wrote(sine, kStored<T>);                                                   \
    Wrote(cosine, kStored<T>);                                                 \
  }                                                                            \
  PAGETIDE_LIBM(T, remquo##suffix, (T x, T y, int *quotient),                  \
                (x, y, quotient),                                              \
                if (result == result) Wrote(quotient, sizeof(int));            \
                else /* if it is not a number there is no quotient */          \
                MayHaveWritten(quotient, sizeof(int)))                         \
  PAGETIDE_LIBM(T, lgamma##suffix##_r, (T x, int *sign), (x, sign),            \
                Wrote(sign, sizeof(int)))

#define PAGETIDE_LIBM_PARTS(T, suffix)                                         \
  PAGETIDE_LIBM(T, frexp##suffix, (T x, int *exponent), (x, exponent),         \
                Wrote(exponent, sizeof(int)))                                  \
  PAGETIDE_LIBM(T, modf##suffix, (T x, T * whole), (x, whole),                 \
                Wrote(whole, kStored<T>))
// The target of setpayload is zero after a failure.
#define PAGETIDE_LIBM_NUMBERS(T, suffix)                                       \
  PAGETIDE_LIBM(int, canonicalize##suffix, (T * to, const T *from),            \
                (to, from), DidRead(from, kStored<T>);                         \
                if (!result) Wrote(to, kStored<T>))                            \
  PAGETIDE_LIBM(int, setpayload##suffix, (T * to, T payload), (to, payload),   \
                Wrote(to, kStored<T>))                                         \
  PAGETIDE_LIBM(int, setpayloadsig##suffix, (T * to, T payload),               \
                (to, payload), Wrote(to, kStored<T>))

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
PAGETIDE_LIBM(int, fegetenv, (void *p), (p), Wrote(p, 32))
PAGETIDE_LIBM(int, feholdexcept, (void *p), (p), Wrote(p, 32))
PAGETIDE_LIBM(int, fegetmode, (void *p), (p), Wrote(p, 8))
PAGETIDE_LIBM(int, fegetexceptflag, (void *p, int which), (p, which),
              Wrote(p, 2))
