//===- numbers.cpp - Numbers in strings -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/interceptor.h"

using namespace pagetide;

struct __locale_struct;
extern "C" const unsigned short **__ctype_b_loc();

/// Whether libc's isspace holds in the current locale.
static bool IsSpace(char c) {
  constexpr unsigned short kSpace = 1 << 13; // _ISspace on little-endian
  return (*__ctype_b_loc())[(u8)c] & kSpace;
}

/// Marks what a conversion of the text at `s`, which ended at `end`, has read.
/// That includes the first character after the number. If that character could
/// begin a prefix or an exponent, it includes those after it.
static void DidConvert(const char *s, const char *end, bool real) {
  if (!ShadowReady())
    return;
  const char *p = end;
  if (p == s) { // no number: it may have skipped blanks and a sign
    while (IsSpace(*p))
      ++p;
    if (*p == '+' || *p == '-')
      ++p;
  } else if (p[-1] == '0' && (*p == 'x' || *p == 'X')) {
    ++p;
  } else if (real && (*p == 'e' || *p == 'E' || *p == 'p' || *p == 'P')) {
    ++p;
    if (*p == '+' || *p == '-')
      ++p;
  }
  MarkRead((uptr)s, (uptr)(p - s) + 1);
}

#define PAGETIDE_CONVERT(type, name)                                           \
  PAGETIDE_INTERCEPTOR(type, name, const char *s, char **end, int base) {      \
    OnInterceptedCall();                                                       \
    if (base < 0 || base == 1 || base > 36) /* refused unseen */               \
      return RESOLVED(name)(s, end, base);                                     \
    char *ended;                                                               \
    type value = RESOLVED(name)(s, &ended, base);                              \
    DidConvert(s, ended, false);                                               \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }
#define PAGETIDE_CONVERT_BY_LOCALE(type, name)                                 \
  PAGETIDE_INTERCEPTOR(type, name, const char *s, char **end, int base,        \
                       __locale_struct *locale) {                              \
    OnInterceptedCall();                                                       \
    if (base < 0 || base == 1 || base > 36)                                    \
      return RESOLVED(name)(s, end, base, locale);                             \
    char *ended;                                                               \
    type value = RESOLVED(name)(s, &ended, base, locale);                      \
    DidConvert(s, ended, false);                                               \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }
#define PAGETIDE_CONVERT_REAL(type, name)                                      \
  PAGETIDE_INTERCEPTOR(type, name, const char *s, char **end) {                \
    OnInterceptedCall();                                                       \
    char *ended;                                                               \
    type value = RESOLVED(name)(s, &ended);                                    \
    DidConvert(s, ended, true);                                                \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }
#define PAGETIDE_CONVERT_REAL_BY_LOCALE(type, name)                            \
  PAGETIDE_INTERCEPTOR(type, name, const char *s, char **end,                  \
                       __locale_struct *locale) {                              \
    OnInterceptedCall();                                                       \
    char *ended;                                                               \
    type value = RESOLVED(name)(s, &ended, locale);                            \
    DidConvert(s, ended, true);                                                \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }

PAGETIDE_CONVERT(long, strtol)
PAGETIDE_CONVERT(unsigned long, strtoul)
PAGETIDE_CONVERT(long long, strtoll)
PAGETIDE_CONVERT(unsigned long long, strtoull)
PAGETIDE_CONVERT(long, strtoimax)
PAGETIDE_CONVERT(unsigned long, strtoumax)
PAGETIDE_CONVERT(long long, strtoq)
PAGETIDE_CONVERT(unsigned long long, strtouq)
PAGETIDE_CONVERT_BY_LOCALE(long, strtol_l)
PAGETIDE_CONVERT_BY_LOCALE(unsigned long, strtoul_l)
PAGETIDE_CONVERT_BY_LOCALE(long long, strtoll_l)
PAGETIDE_CONVERT_BY_LOCALE(unsigned long long, strtoull_l)
PAGETIDE_CONVERT_REAL(float, strtof)
PAGETIDE_CONVERT_REAL(double, strtod)
PAGETIDE_CONVERT_REAL(long double, strtold)
PAGETIDE_CONVERT_REAL(float, strtof32)
PAGETIDE_CONVERT_REAL(double, strtof64)
PAGETIDE_CONVERT_REAL(double, strtof32x)
PAGETIDE_CONVERT_REAL(long double, strtof64x)
PAGETIDE_CONVERT_REAL(__float128, strtof128)
PAGETIDE_CONVERT_REAL_BY_LOCALE(float, strtof32_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(double, strtof64_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(double, strtof32x_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(long double, strtof64x_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(__float128, strtof128_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(float, strtof_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(double, strtod_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(long double, strtold_l)

using Words = unsigned __int128;
/// Numbers are passed in registers and on the stack, and there is no variant
/// with a va_list. So all that may be an argument is passed on.
#define PAGETIDE_MONEY(name, locale, locale_argument)                          \
  PAGETIDE_INTERCEPTOR(sptr, name, char *s,                                    \
                       SIZE_T room PAGETIDE_UNPACK locale, const char *format, \
                       uptr a, uptr b, double x0, double x1, double x2,        \
                       double x3, double x4, double x5, double x6, double x7,  \
                       Words s0, Words s1, Words s2, Words s3) {               \
    OnInterceptedCall();                                                       \
    auto *real = (sptr(*)(char *, ...))RESOLVED(name);                         \
    const sptr n = real(s, room PAGETIDE_UNPACK locale_argument, format, a, b, \
                        x0, x1, x2, x3, x4, x5, x6, x7, s0, s1, s2, s3);       \
    if (n >= 0) {                                                              \
      DidReadString(format);                                                   \
      DidWrite(s, (uptr)n + 1);                                                \
    } else {                                                                   \
      MayHaveReadString(format, false);                                        \
      MayHaveWritten(s, room);                                                 \
    }                                                                          \
    return n;                                                                  \
  }
PAGETIDE_MONEY(strfmon, (), ())
PAGETIDE_MONEY(strfmon_l, (, __locale_struct *locale), (, locale))

PAGETIDE_INTERCEPTOR(int, atoi, const char *s) {
  return (int)WRAP(strtol)(s, nullptr, 10);
}
PAGETIDE_INTERCEPTOR(long, atol, const char *s) {
  return WRAP(strtol)(s, nullptr, 10);
}
PAGETIDE_INTERCEPTOR(long long, atoll, const char *s) {
  return WRAP(strtoll)(s, nullptr, 10);
}
PAGETIDE_INTERCEPTOR(double, atof, const char *s) {
  return WRAP(strtod)(s, nullptr);
}

// Programs built with glibc 2.38 or later call these.
// NOLINTNEXTLINE(llvm-include-order)
#include "interceptors/later_libc.h"
PAGETIDE_CONVERT(long, __isoc23_strtol)
PAGETIDE_CONVERT(unsigned long, __isoc23_strtoul)
PAGETIDE_CONVERT(long long, __isoc23_strtoll)
PAGETIDE_CONVERT(unsigned long long, __isoc23_strtoull)
PAGETIDE_CONVERT(long, __isoc23_strtoimax)
PAGETIDE_CONVERT(unsigned long, __isoc23_strtoumax)
PAGETIDE_CONVERT_BY_LOCALE(long, __isoc23_strtol_l)
PAGETIDE_CONVERT_BY_LOCALE(unsigned long, __isoc23_strtoul_l)
PAGETIDE_CONVERT_BY_LOCALE(long long, __isoc23_strtoll_l)
PAGETIDE_CONVERT_BY_LOCALE(unsigned long long, __isoc23_strtoull_l)
