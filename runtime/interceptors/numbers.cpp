//===- numbers.cpp - Numbers in strings, wide ones too --------------------===//
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

/// Of wide characters. What could begin more than the number is not looked for.
static void DidConvert(const wchar_t *s, const wchar_t *end, bool) {
  DidRead(s, ((uptr)(end - s) + 1) * sizeof(*s));
}

#define PAGETIDE_REST(...) __VA_OPT__(, ) __VA_ARGS__
#define PAGETIDE_CONVERT(Char, type, name, real, parameters, arguments)        \
  PAGETIDE_INTERCEPTOR(type, name, const Char *s,                              \
                       Char **end PAGETIDE_REST parameters) {                  \
    OnInterceptedCall();                                                       \
    Char *ended = nullptr;                                                     \
    type value = RESOLVED(name)(s, &ended PAGETIDE_REST arguments);            \
    if (!ended) /* a bad base: refused unseen */                               \
      return value;                                                            \
    DidConvert(s, ended, real);                                                \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }
#define PAGETIDE_INTEGER(Char, type, name)                                     \
  PAGETIDE_CONVERT(Char, type, name, false, (int base), (base))
#define PAGETIDE_WITH_LOCALE(Char, type, name)                                 \
  PAGETIDE_CONVERT(Char, type, name, false,                                    \
                   (int base, __locale_struct *locale), (base, locale))
#define PAGETIDE_REAL(Char, type, name)                                        \
  PAGETIDE_CONVERT(Char, type, name, true, (), ())                             \
  PAGETIDE_CONVERT(Char, type, name##_l, true, (__locale_struct * locale),     \
                   (locale))

#define PAGETIDE_INTEGERS(Char, prefix)                                        \
  PAGETIDE_INTEGER(Char, long, prefix##l)                                      \
  PAGETIDE_INTEGER(Char, unsigned long, prefix##ul)                            \
  PAGETIDE_INTEGER(Char, long long, prefix##ll)                                \
  PAGETIDE_INTEGER(Char, unsigned long long, prefix##ull)                      \
  PAGETIDE_INTEGER(Char, long, prefix##imax)                                   \
  PAGETIDE_INTEGER(Char, unsigned long, prefix##umax)                          \
  PAGETIDE_WITH_LOCALE(Char, long, prefix##l_l)                                \
  PAGETIDE_WITH_LOCALE(Char, unsigned long, prefix##ul_l)                      \
  PAGETIDE_WITH_LOCALE(Char, long long, prefix##ll_l)                          \
  PAGETIDE_WITH_LOCALE(Char, unsigned long long, prefix##ull_l)
#define PAGETIDE_NUMBERS(Char, prefix)                                         \
  PAGETIDE_INTEGERS(Char, prefix)                                              \
  PAGETIDE_INTEGER(Char, long long, prefix##q)                                 \
  PAGETIDE_INTEGER(Char, unsigned long long, prefix##uq)                       \
  PAGETIDE_REAL(Char, float, prefix##f)                                        \
  PAGETIDE_REAL(Char, double, prefix##d)                                       \
  PAGETIDE_REAL(Char, long double, prefix##ld)                                 \
  PAGETIDE_REAL(Char, float, prefix##f32)                                      \
  PAGETIDE_REAL(Char, double, prefix##f64)                                     \
  PAGETIDE_REAL(Char, double, prefix##f32x)                                    \
  PAGETIDE_REAL(Char, long double, prefix##f64x)                               \
  PAGETIDE_REAL(Char, __float128, prefix##f128)
PAGETIDE_NUMBERS(char, strto)
PAGETIDE_NUMBERS(wchar_t, wcsto)

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
PAGETIDE_INTEGERS(char, __isoc23_strto)
PAGETIDE_INTEGERS(wchar_t, __isoc23_wcsto)
