//===- numbers.cpp - Numbers in strings -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
PAGETIDE_CONVERT_REAL_BY_LOCALE(float, strtof_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(double, strtod_l)
PAGETIDE_CONVERT_REAL_BY_LOCALE(long double, strtold_l)

PAGETIDE_CALL_SITE_INTERCEPTOR(int, atoi, const char *s) {
  return (int)WRAP(strtol)(s, nullptr, 10);
}
PAGETIDE_CALL_SITE_INTERCEPTOR(long, atol, const char *s) {
  return WRAP(strtol)(s, nullptr, 10);
}
PAGETIDE_CALL_SITE_INTERCEPTOR(long long, atoll, const char *s) {
  return WRAP(strtoll)(s, nullptr, 10);
}
PAGETIDE_CALL_SITE_INTERCEPTOR(double, atof, const char *s) {
  return WRAP(strtod)(s, nullptr);
}
