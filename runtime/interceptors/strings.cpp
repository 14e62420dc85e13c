//===- strings.cpp - Strings ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What these functions read is known only afterwards. They read in steps and
// mark each step before the next one, so that a mark follows its access by at
// most one step. They mark writes before they make them. Functions that depend
// on the locale mark at return.
//
// A string counts as read as far as the function's result depends on it. If
// nobody knows how far that is (a locale's collation), the rest is marked as
// may.

#include "arch/vectors.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/memory.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "platform/internal_mem.h"

#include <langinfo.h>

using namespace pagetide;

DECLARE_REAL(void *, memchr, const void *s, int c, SIZE_T n)
DECLARE_REAL(SIZE_T, strlen, const char *s)
struct __locale_struct;
extern "C" const int **__ctype_tolower_loc();

//===- Scans --------------------------------------------------------------===//

/// Index of the first character at which the strings differ or `a` ends, below
/// `most`.
static uptr FindDifference(const char *a, const char *b, uptr most) {
  const u8 *x = (const u8 *)a, *y = (const u8 *)b;
  for (uptr i = 0; i < most;) {
    if (BlocksStayInPages(x + i, y + i)) {
      if (u32 hits = DifferencesOrEnds(x + i, y + i))
        return Min(i + (uptr)__builtin_ctz(hits), most);
      i += kBlock;
    } else {
      if (x[i] != y[i] || !x[i])
        return i;
      ++i;
    }
  }
  return most;
}

/// Index of the first byte equal to `c`, below `most` and within one step;
/// otherwise the end of the step. Marks what it looked at.
static inline uptr MarkedFindInStep(const u8 *s, int c, uptr most) {
  const uptr bytes = Min(most, kStep);
  const void *found =
      Active() ? REAL(memchr)(s, c, bytes) : InternalMemchr(s, c, bytes);
  const uptr index = found ? (uptr)found - (uptr)s : bytes;
  DidRead(s, found ? index + 1 : bytes);
  return index;
}
__attribute__((noinline)) static uptr MarkedFindFrom(const u8 *s, int c,
                                                     uptr at, uptr most) {
  while (at < most) {
    const uptr bytes = Min(most - at, kStep);
    const uptr index = MarkedFindInStep(s + at, c, bytes);
    at += index;
    if (index < bytes)
      break;
  }
  return at;
}
/// The same in all of `most` bytes.
static inline uptr MarkedFind(const void *s, int c, uptr most) {
  const uptr index = MarkedFindInStep((const u8 *)s, c, most);
  if (__builtin_expect(index < Min(most, kStep), 1))
    return index;
  return MarkedFindFrom((const u8 *)s, c, index, most);
}

/// Index of the first byte that is `c` or 0, below `most`. Reads aligned
/// blocks, so that it stays in the string's pages.
static uptr FindOrEnd(const u8 *s, u8 c, uptr most) {
  const uptr skip = (uptr)s % kBlock;
  for (uptr at = 0; at < most + skip; at += kBlock) {
    u32 hits = MatchesOrEnds(s - skip + at, c);
    if (!at)
      hits &= ~0u << skip;
    if (hits)
      return Min(at + (uptr)__builtin_ctz(hits) - skip, most);
  }
  return most;
}

/// The same for a string; marks what it looked at.
static uptr MarkedFindOrEnd(const char *s, int c) {
  for (uptr at = 0;; at += kStep) {
    uptr found = FindOrEnd((const u8 *)s + at, (u8)c, kStep);
    DidRead(s + at, Min(found + 1, kStep));
    if (__builtin_expect(found < kStep, 1))
      return at + found;
  }
}

/// Compares characters as they are.
struct Same {
  int operator()(u8 c) const { return c; }
  static uptr Difference(const char *a, const char *b, uptr most) {
    return FindDifference(a, b, most);
  }
};

/// Compares characters as a function maps them.
template <typename Function> struct Folded {
  Function fold;
  int operator()(u8 c) const { return fold(c); }
  uptr Difference(const char *a, const char *b, uptr most) const {
    uptr n = 0;
    while (n < most && a[n] && fold((u8)a[n]) == fold((u8)b[n]))
      ++n;
    return n;
  }
};
template <typename Function> Folded(Function) -> Folded<Function>;

/// Compares up to `most` characters of strings, as `fold` maps them.
template <typename Fold>
static inline int MarkedCompare(const char *a, const char *b, uptr most,
                                Fold fold) {
  for (uptr at = 0; at < most;) {
    uptr bytes = most - at < kStep ? most - at : kStep;
    uptr n = fold.Difference(a + at, b + at, bytes);
    uptr looked_at = n < bytes ? n + 1 : bytes;
    DidReadBoth(a + at, b + at, looked_at);
    if (n < bytes)
      return fold((u8)a[at + n]) - fold((u8)b[at + n]);
    at += bytes;
  }
  return 0;
}

int pagetide::AnyStrncmp(const char *a, const char *b, uptr most) {
  return MarkedCompare(a, b, most, Same());
}

//===- Comparison ---------------------------------------------------------===//

PAGETIDE_MARKED(int, memcmp, (const void *a, const void *b, SIZE_T n),
                MarkedMemcmp(a, b, n))
PAGETIDE_MARKED(int, bcmp, (const void *a, const void *b, SIZE_T n),
                MarkedMemcmp(a, b, n))
PAGETIDE_MARKED(int, strcmp, (const char *a, const char *b),
                MarkedStrncmp(a, b, kNoBound))
PAGETIDE_MARKED(int, strncmp, (const char *a, const char *b, SIZE_T most),
                MarkedStrncmp(a, b, most))
PAGETIDE_INTERCEPTOR(int, strcasecmp, const char *a, const char *b) {
  OnInterceptedCall();
  const int *lower = *__ctype_tolower_loc();
  return MarkedCompare(a, b, kNoBound, Folded{[=](u8 c) { return lower[c]; }});
}
PAGETIDE_INTERCEPTOR(int, strncasecmp, const char *a, const char *b,
                     SIZE_T most) {
  OnInterceptedCall();
  const int *lower = *__ctype_tolower_loc();
  return MarkedCompare(a, b, most, Folded{[=](u8 c) { return lower[c]; }});
}
extern "C" int tolower_l(int c, void *locale) noexcept;
PAGETIDE_INTERCEPTOR(int, strcasecmp_l, const char *a, const char *b,
                     void *locale) {
  OnInterceptedCall();
  return MarkedCompare(a, b, kNoBound,
                       Folded{[=](u8 c) { return tolower_l(c, locale); }});
}
PAGETIDE_INTERCEPTOR(int, strncasecmp_l, const char *a, const char *b,
                     SIZE_T most, void *locale) {
  OnInterceptedCall();
  return MarkedCompare(a, b, most,
                       Folded{[=](u8 c) { return tolower_l(c, locale); }});
}

/// True if a locale has no rules of order: then libc compares bytes, and stops
/// at the first difference.
static bool HasNoRules(const char *rules) { return !(u32)(uptr)rules; }

/// For comparisons by libc's rules. They read the strings as far as they are
/// equal, and perhaps to their ends.
static void DidCollate(const char *a, const char *b) {
  if (!ShadowReady())
    return;
  MarkedStrncmp(a, b, kNoBound);
  MayHaveReadString(a, true);
  MayHaveReadString(b, true);
}
PAGETIDE_INTERCEPTOR(int, strcoll, const char *a, const char *b) {
  OnInterceptedCall();
  if (HasNoRules(nl_langinfo(_NL_COLLATE_NRULES)))
    return MarkedStrncmp(a, b, kNoBound);
  int result = RESOLVED(strcoll)(a, b);
  DidCollate(a, b);
  return result;
}
PAGETIDE_INTERCEPTOR(int, strcoll_l, const char *a, const char *b,
                     void *locale) {
  OnInterceptedCall();
  if (HasNoRules(nl_langinfo_l(_NL_COLLATE_NRULES, (locale_t)locale)))
    return MarkedStrncmp(a, b, kNoBound);
  int result = RESOLVED(strcoll_l)(a, b, locale);
  DidCollate(a, b);
  return result;
}
PAGETIDE_AFTER(int, strverscmp, (const char *a, const char *b), (a, b),
               DidCollate(a, b))

static void DidTransform(char *d, const char *s, uptr room, uptr length) {
  DidReadString(s);
  if (length < room)
    DidWrite(d, length + 1);
  else
    MayHaveWritten(d, room); // its contents are undefined
}
PAGETIDE_AROUND(SIZE_T, strxfrm, (char *d, const char *s, SIZE_T room),
                (d, s, room), InFlight in_flight(d, room),
                DidTransform(d, s, room, result))
PAGETIDE_AROUND(SIZE_T, strxfrm_l,
                (char *d, const char *s, SIZE_T room, void *locale),
                (d, s, room, locale), InFlight in_flight(d, room),
                DidTransform(d, s, room, result))

//===- Search -------------------------------------------------------------===//

PAGETIDE_MARKED(SIZE_T, strlen, (const char *s), MarkedFind(s, 0, kNoBound))
PAGETIDE_MARKED(SIZE_T, strnlen, (const char *s, SIZE_T most),
                MarkedFind(s, 0, Min(most, kNoBound)))
PAGETIDE_INTERCEPTOR(void *, memchr, const void *s, int c, SIZE_T n) {
  OnInterceptedCall();
  uptr at = MarkedFind(s, c, n);
  return at == n ? nullptr : (void *)((uptr)s + at);
}
PAGETIDE_MARKED(void *, rawmemchr, (const void *s, int c),
                (u8 *)s + MarkedFind(s, c, kNoBound))
DECLARE_REAL(void *, memrchr, const void *s, int c, SIZE_T n)
static const u8 *MarkedFindLast(const void *s, int c, uptr n) {
  const u8 *p = (const u8 *)s;
  for (uptr left = n; left;) {
    const uptr bytes = Min(left, kStep);
    left -= bytes;
    const u8 *found = (const u8 *)RESOLVED(memrchr)(p + left, c, bytes);
    const u8 *first = found ? found : p + left;
    DidRead(first, (uptr)(p + left + bytes - first));
    if (found)
      return found;
  }
  return nullptr;
}
PAGETIDE_MARKED(void *, memrchr, (const void *s, int c, SIZE_T n),
                (void *)MarkedFindLast(s, c, n))
static char *MarkedStrchr(const char *s, int c) {
  uptr at = MarkedFindOrEnd(s, c);
  return s[at] == (char)c ? (char *)s + at : nullptr;
}
PAGETIDE_MARKED(char *, strchr, (const char *s, int c), MarkedStrchr(s, c))
PAGETIDE_MARKED(char *, index, (const char *s, int c), MarkedStrchr(s, c))
PAGETIDE_MARKED(char *, strchrnul, (const char *s, int c),
                (char *)s + MarkedFindOrEnd(s, c))
static char *MarkedStrrchr(const char *s, int c) {
  uptr n = MarkedFind(s, 0, kNoBound) + 1;
  return (char *)RESOLVED(memrchr)(s, c, n);
}
PAGETIDE_MARKED(char *, strrchr, (const char *s, int c), MarkedStrrchr(s, c))
PAGETIDE_MARKED(char *, rindex, (const char *s, int c), MarkedStrrchr(s, c))

static void DidSearch(const char *s, const char *wanted, const char *found) {
  if (!ShadowReady())
    return;
  uptr n = Length(wanted);
  DidRead(wanted, n + 1);
  // Nothing is looked for an empty string.
  DidRead(s, found || !n ? (uptr)(found - s) + n : Length(s) + 1);
}
PAGETIDE_AFTER(char *, strstr, (const char *s, const char *wanted), (s, wanted),
               DidSearch(s, wanted, result))
PAGETIDE_AFTER(char *, strcasestr, (const char *s, const char *wanted),
               (s, wanted), DidSearch(s, wanted, result))
PAGETIDE_INTERCEPTOR(void *, memmem, const void *s, SIZE_T n,
                     const void *wanted, SIZE_T bytes) {
  OnInterceptedCall();
  void *found = RESOLVED(memmem)(s, n, wanted, bytes);
  if (!bytes || n < bytes)
    return found;
  DidRead(wanted, bytes);
  if (found) {
    DidRead(s, (uptr)found - (uptr)s + bytes);
  } else {
    DidRead(s, n - bytes + 1);
    MayHaveRead(s, n);
  }
  return found;
}

PAGETIDE_AFTER(char *, strpbrk, (const char *s, const char *set), (s, set),
               DidFindAny(s, set, result))
PAGETIDE_AFTER(SIZE_T, strspn, (const char *s, const char *set), (s, set),
               DidReadString(set);
               if (*set) DidRead(s, result + 1))
PAGETIDE_AFTER(SIZE_T, strcspn, (const char *s, const char *set), (s, set),
               DidSpan(s, set, result, true))

/// strtok_r, which stores in *rest where the next call continues.
static char *MarkedToken(char *s, const char *set, char **rest) {
  if (!s)
    s = *rest;
  DidRead(s, 1);
  if (!*s) {
    *rest = s;
    return nullptr;
  }
  char *token = s + WRAP(strspn)(s, set);
  if (!*token) {
    *rest = token;
    return nullptr;
  }
  char *end = token + WRAP(strcspn)(token, set);
  if (*end) {
    DidWrite(end, 1);
    *end++ = 0;
  }
  *rest = end;
  return token;
}
PAGETIDE_INTERCEPTOR(char *, strtok, char *s, const char *set) {
  static char *rest; // as in libc, one for all threads
  OnInterceptedCall();
  return MarkedToken(s, set, &rest);
}
static char *MarkedStrtokR(char *s, const char *set, char **rest) {
  if (!s)
    DidReadAt(rest);
  DidWriteAt(rest);
  return MarkedToken(s, set, rest);
}
PAGETIDE_MARKED(char *, strtok_r, (char *s, const char *set, char **rest),
                MarkedStrtokR(s, set, rest))
PAGETIDE_MARKED(char *, __strtok_r, (char *s, const char *set, char **rest),
                MarkedStrtokR(s, set, rest))
PAGETIDE_INTERCEPTOR(char *, strsep, char **rest, const char *set) {
  OnInterceptedCall();
  DidReadAt(rest);
  char *token = *rest;
  if (!token)
    return nullptr;
  DidWriteAt(rest);
  char *end = token + WRAP(strcspn)(token, set);
  if (*end) {
    DidWrite(end, 1);
    *end++ = 0;
    *rest = end;
  } else {
    *rest = nullptr;
  }
  return token;
}

//===- Copies -------------------------------------------------------------===//

PAGETIDE_INTERCEPTOR(char *, strcpy, char *d, const char *s) {
  OnInterceptedCall();
  MarkedMemcpy(d, s, MarkedFind(s, 0, kNoBound) + 1);
  return d;
}
static char *MarkedStpcpy(char *d, const char *s) {
  uptr n = MarkedFind(s, 0, kNoBound);
  MarkedMemcpy(d, s, n + 1);
  return d + n;
}
PAGETIDE_MARKED(char *, stpcpy, (char *d, const char *s), MarkedStpcpy(d, s))
PAGETIDE_MARKED(char *, __stpcpy, (char *d, const char *s), MarkedStpcpy(d, s))
/// Copies at most `most` bytes and adds zeros up to that. Returns where the
/// string ends in d.
static char *MarkedStpncpy(char *d, const char *s, uptr most) {
  uptr n = MarkedFind(s, 0, Min(most, kNoBound));
  MarkedMemcpy(d, s, n);
  MarkedMemset(d + n, 0, most - n);
  return d + n;
}
PAGETIDE_INTERCEPTOR(char *, strncpy, char *d, const char *s, SIZE_T most) {
  OnInterceptedCall();
  MarkedStpncpy(d, s, most);
  return d;
}
PAGETIDE_MARKED(char *, stpncpy, (char *d, const char *s, SIZE_T most),
                MarkedStpncpy(d, s, most))
PAGETIDE_INTERCEPTOR(char *, strcat, char *d, const char *s) {
  OnInterceptedCall();
  MarkedStpcpy(d + MarkedFind(d, 0, kNoBound), s);
  return d;
}
/// Appends at most `most` bytes and a zero. Nothing is touched if `most` is 0,
/// as in glibc since 2.38.
static void MarkedAppend(char *d, const char *s, uptr most) {
  if (!most)
    return;
  d += MarkedFind(d, 0, kNoBound);
  uptr n = MarkedFind(s, 0, Min(most, kNoBound));
  MarkedMemcpy(d, s, n);
  DidWrite(d + n, 1);
  d[n] = 0;
}
PAGETIDE_INTERCEPTOR(char *, strncat, char *d, const char *s, SIZE_T most) {
  OnInterceptedCall();
  MarkedAppend(d, s, most);
  return d;
}
/// Copies what fits in `room` with a zero. Returns the length of s.
static uptr MarkedCopyWithin(char *d, const char *s, uptr room) {
  const uptr n = MarkedFind(s, 0, kNoBound);
  if (!room)
    return n;
  const uptr kept = Min(n, room - 1);
  MarkedMemcpy(d, s, kept);
  MarkedMemset(d + kept, 0, 1);
  return n;
}
static uptr MarkedAppendWithin(char *d, const char *s, uptr room) {
  const uptr length = MarkedFind(d, 0, Min(room, kNoBound));
  return length + MarkedCopyWithin(d + length, s, room - length);
}
PAGETIDE_MARKED(SIZE_T, strlcpy, (char *d, const char *s, SIZE_T room),
                MarkedCopyWithin(d, s, room))
PAGETIDE_MARKED(SIZE_T, strlcat, (char *d, const char *s, SIZE_T room),
                MarkedAppendWithin(d, s, room))
PAGETIDE_INTERCEPTOR(void *, memccpy, void *d, const void *s, int c, SIZE_T n) {
  OnInterceptedCall();
  uptr at = MarkedFind(s, c, n);
  MarkedMemcpy(d, s, at < n ? at + 1 : n);
  return at < n ? (u8 *)d + at + 1 : nullptr;
}
PAGETIDE_INTERCEPTOR(void, swab, const void *s, void *d, SSIZE_T n) {
  OnInterceptedCall();
  RESOLVED(swab)(s, d, n);
  if (n > 1) {
    DidRead(s, (uptr)n & ~uptr{1});
    DidWrite(d, (uptr)n & ~uptr{1});
  }
}
PAGETIDE_INTERCEPTOR(void *, memfrob, void *p, SIZE_T n) {
  OnInterceptedCall();
  RESOLVED(memfrob)(p, n);
  DidRead(p, n);
  DidWrite(p, n);
  return p;
}
PAGETIDE_INTERCEPTOR(void, explicit_bzero, void *p, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemset(p, 0, n);
}

// With _FORTIFY_SOURCE. libc ends the program if the room is too small.
PAGETIDE_INTERCEPTOR(char *, __strcpy_chk, char *d, const char *s,
                     SIZE_T room) {
  OnInterceptedCall();
  uptr n = MarkedFind(s, 0, kNoBound) + 1;
  if (n > room)
    return RESOLVED(__strcpy_chk)(d, s, room);
  MarkedMemcpy(d, s, n);
  return d;
}
PAGETIDE_INTERCEPTOR(char *, __stpcpy_chk, char *d, const char *s,
                     SIZE_T room) {
  OnInterceptedCall();
  uptr n = MarkedFind(s, 0, kNoBound) + 1;
  if (n > room)
    return RESOLVED(__stpcpy_chk)(d, s, room);
  MarkedMemcpy(d, s, n);
  return d + n - 1;
}
PAGETIDE_CHK(char *, strncpy, (char *d, const char *s, SIZE_T most),
             (d, s, most), most <= room)
PAGETIDE_CHK(char *, stpncpy, (char *d, const char *s, SIZE_T most),
             (d, s, most), most <= room)
PAGETIDE_CHK(SIZE_T, strlcpy, (char *d, const char *s, SIZE_T most),
             (d, s, most), most <= room)
PAGETIDE_CHK(SIZE_T, strlcat, (char *d, const char *s, SIZE_T most),
             (d, s, most), most <= room)
PAGETIDE_CHK(char *, strcat, (char *d, const char *s), (d, s),
             Length(d) + Length(s) < room)
PAGETIDE_CHK(char *, strncat, (char *d, const char *s, SIZE_T most),
             (d, s, most), Length(d) + LengthWithin(s, most) < room)
PAGETIDE_CHK(void, explicit_bzero, (void *p, SIZE_T n), (p, n), n <= room)
