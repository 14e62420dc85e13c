//===- strings.cpp - Strings, and numbers in them -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these read is known only afterwards: they look in steps, and mark each
// step before they take the next, so that a mark is late by one step at most.
// What they write they mark before. Functions for wide characters and those that
// depend on the locale mark at return.
//
// A string counts as read as far as the function's result depends on it. Where
// that cannot be told (a locale's collation) the rest is marked as may.
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "shadow/marking.h"

#include "platform/simd_compare.h"

using namespace pagetide;

DECLARE_REAL(void *, memchr, const void *s, int c, SIZE_T n)
DECLARE_REAL(SIZE_T, strlen, const char *s)
DECLARE_REAL(int, strcmp, const char *a, const char *b)
DECLARE_REAL(int, strncmp, const char *a, const char *b, SIZE_T most)
DECLARE_REAL(SIZE_T, wcslen, const wchar_t *s)
struct __locale_struct;
extern "C" const int **__ctype_tolower_loc();
extern "C" const unsigned short **__ctype_b_loc();

//===- Scans --------------------------------------------------------------===//

/// Index of the first character that differs or ends `a`, among `most`.
static uptr FindDifference(const char *a, const char *b, uptr most) {
  const u8 *x = (const u8 *)a, *y = (const u8 *)b;
  // Sixteen at a time, but never into a page that the strings need not have.
  constexpr uptr kPage = 4096;
  const auto StaysInPage = [](const u8 *p) {
    return (uptr)p % kPage <= kPage - 16;
  };
  for (uptr i = 0; i < most;) {
    if (StaysInPage(x + i) && StaysInPage(y + i)) {
      const __m128i block = _mm_loadu_si128((const __m128i *)(x + i));
      const u32 ends =
          (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_setzero_si128()));
      if (u32 hits = ends | Differences(x + i, y + i))
        return Min(i + (uptr)__builtin_ctz(hits), most);
      i += 16;
    } else {
      if (x[i] != y[i] || !x[i])
        return i;
      ++i;
    }
  }
  return most;
}

namespace pagetide {

uptr MarkedFind(const void *s, int c, uptr most) {
  for (uptr at = 0; at < most;) {
    uptr bytes = most - at < kStep ? most - at : kStep;
    const u8 *from = (const u8 *)s + at;
    const void *found = Active() ? REAL(memchr)(from, c, bytes)
                                 : InternalMemchr(from, c, bytes);
    uptr looked_at = found ? (uptr)found - (uptr)from + 1 : bytes;
    DidRead(from, looked_at);
    if (found)
      return at + looked_at - 1;
    at += bytes;
  }
  return most;
}

} // namespace pagetide

/// Index of the first byte that is `c` or 0, among `most`. Looks at aligned
/// blocks, so that it stays in the string's pages.
static uptr FindOrEnd(const u8 *s, u8 c, uptr most) {
  const __m128i wanted = _mm_set1_epi8((char)c), zero = _mm_setzero_si128();
  uptr skip = (uptr)s % 16;
  for (uptr at = 0; at < most + skip; at += 16) {
    __m128i block = _mm_load_si128((const __m128i *)(s - skip + at));
    u32 hits = (u32)_mm_movemask_epi8(_mm_or_si128(
        _mm_cmpeq_epi8(block, wanted), _mm_cmpeq_epi8(block, zero)));
    if (!at)
      hits &= ~0u << skip;
    if (hits)
      return Min(at + (uptr)__builtin_ctz(hits) - skip, most);
  }
  return most;
}

/// The same of a string, marking what was looked at.
static uptr MarkedFindOrEnd(const char *s, int c) {
  for (uptr at = 0;; at += kStep) {
    uptr found = FindOrEnd((const u8 *)s + at, (u8)c, kStep);
    DidRead(s + at, found < kStep ? found + 1 : kStep);
    if (found < kStep)
      return at + found;
  }
}

/// Characters as they are.
struct Same {
  int operator()(u8 c) const { return c; }
  static uptr Difference(const char *a, const char *b, uptr most) {
    return FindDifference(a, b, most);
  }
};

/// Characters as a function makes them.
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

/// Compares strings up to `most` characters, as `fold` makes them.
template <typename Fold>
static inline int MarkedCompare(const char *a, const char *b, uptr most,
                                Fold fold) {
  for (uptr at = 0; at < most;) {
    uptr bytes = most - at < kStep ? most - at : kStep;
    uptr n = fold.Difference(a + at, b + at, bytes);
    uptr looked_at = n < bytes ? n + 1 : bytes;
    DidRead(a + at, looked_at);
    DidRead(b + at, looked_at);
    if (n < bytes)
      return fold((u8)a[at + n]) - fold((u8)b[at + n]);
    at += bytes;
  }
  return 0;
}

//===- Comparison ---------------------------------------------------------===//

PAGETIDE_INTERCEPTOR(int, memcmp, const void *a, const void *b, SIZE_T n) {
  OnInterceptedCall();
  return MarkedMemcmp(a, b, n);
}
PAGETIDE_INTERCEPTOR(int, bcmp, const void *a, const void *b, SIZE_T n) {
  OnInterceptedCall();
  return MarkedMemcmp(a, b, n);
}
PAGETIDE_INTERCEPTOR(int, strcmp, const char *a, const char *b) {
  OnInterceptedCall();
  if (!MarksReads() && Active())
    return REAL(strcmp)(a, b);
  return MarkedCompare(a, b, kNoBound, Same());
}
PAGETIDE_INTERCEPTOR(int, strncmp, const char *a, const char *b, SIZE_T most) {
  OnInterceptedCall();
  if (!MarksReads() && Active())
    return REAL(strncmp)(a, b, most);
  return MarkedCompare(a, b, most, Same());
}
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

/// For comparisons by rules that only libc knows: certainly as far as the
/// strings are equal, perhaps to their ends.
static void DidCollate(const char *a, const char *b) {
  if (!ShadowReady())
    return;
  MarkedCompare(a, b, kNoBound, Same());
  MayHaveRead(a, Length(a) + 1);
  MayHaveRead(b, Length(b) + 1);
}
PAGETIDE_INTERCEPTOR(int, strcoll, const char *a, const char *b) {
  OnInterceptedCall();
  int result = RESOLVED(strcoll)(a, b);
  DidCollate(a, b);
  return result;
}
PAGETIDE_INTERCEPTOR(int, strcoll_l, const char *a, const char *b,
                     void *locale) {
  OnInterceptedCall();
  int result = RESOLVED(strcoll_l)(a, b, locale);
  DidCollate(a, b);
  return result;
}
PAGETIDE_INTERCEPTOR(int, strverscmp, const char *a, const char *b) {
  OnInterceptedCall();
  int result = RESOLVED(strverscmp)(a, b);
  DidCollate(a, b);
  return result;
}

static void DidTransform(char *d, const char *s, uptr room, uptr length) {
  DidReadString(s);
  if (length < room)
    DidWrite(d, length + 1);
  else
    MayHaveWritten(d, room); // what it holds is undefined
}
PAGETIDE_INTERCEPTOR(SIZE_T, strxfrm, char *d, const char *s, SIZE_T room) {
  OnInterceptedCall();
  InFlight in_flight(d, room);
  SIZE_T length = RESOLVED(strxfrm)(d, s, room);
  DidTransform(d, s, room, length);
  return length;
}
PAGETIDE_INTERCEPTOR(SIZE_T, strxfrm_l, char *d, const char *s, SIZE_T room,
                     void *locale) {
  OnInterceptedCall();
  InFlight in_flight(d, room);
  SIZE_T length = RESOLVED(strxfrm_l)(d, s, room, locale);
  DidTransform(d, s, room, length);
  return length;
}

//===- Search -------------------------------------------------------------===//

PAGETIDE_INTERCEPTOR(SIZE_T, strlen, const char *s) {
  OnInterceptedCall();
  if (!MarksReads() && Active())
    return REAL(strlen)(s);
  return MarkedFind(s, 0, kNoBound);
}
PAGETIDE_INTERCEPTOR(SIZE_T, strnlen, const char *s, SIZE_T most) {
  OnInterceptedCall();
  return MarkedFind(s, 0, Min(most, kNoBound));
}
PAGETIDE_INTERCEPTOR(void *, memchr, const void *s, int c, SIZE_T n) {
  OnInterceptedCall();
  uptr at = MarkedFind(s, c, n);
  return at == n ? nullptr : (void *)((uptr)s + at);
}
PAGETIDE_INTERCEPTOR(void *, rawmemchr, const void *s, int c) {
  OnInterceptedCall();
  return (u8 *)s + MarkedFind(s, c, kNoBound);
}
static const u8 *MarkedFindLast(const void *s, int c, uptr n) {
  const u8 *p = (const u8 *)s;
  uptr left = n;
  while (left && p[left - 1] != (u8)c)
    --left;
  const u8 *found = left ? p + left - 1 : nullptr;
  DidRead(found ? found : p, found ? (uptr)(p + n - found) : n);
  return found;
}
PAGETIDE_INTERCEPTOR(void *, memrchr, const void *s, int c, SIZE_T n) {
  OnInterceptedCall();
  return (void *)MarkedFindLast(s, c, n);
}
static char *MarkedStrchr(const char *s, int c) {
  uptr at = MarkedFindOrEnd(s, c);
  return s[at] == (char)c ? (char *)s + at : nullptr;
}
PAGETIDE_INTERCEPTOR(char *, strchr, const char *s, int c) {
  OnInterceptedCall();
  return MarkedStrchr(s, c);
}
PAGETIDE_INTERCEPTOR(char *, index, const char *s, int c) {
  OnInterceptedCall();
  return MarkedStrchr(s, c);
}
PAGETIDE_INTERCEPTOR(char *, strchrnul, const char *s, int c) {
  OnInterceptedCall();
  return (char *)s + MarkedFindOrEnd(s, c);
}
static char *MarkedStrrchr(const char *s, int c) {
  uptr n = MarkedFind(s, 0, kNoBound) + 1;
  while (n && s[n - 1] != (char)c)
    --n;
  return n ? (char *)s + n - 1 : nullptr;
}
PAGETIDE_INTERCEPTOR(char *, strrchr, const char *s, int c) {
  OnInterceptedCall();
  return MarkedStrrchr(s, c);
}
PAGETIDE_INTERCEPTOR(char *, rindex, const char *s, int c) {
  OnInterceptedCall();
  return MarkedStrrchr(s, c);
}

static void DidSearch(const char *s, const char *wanted, const char *found) {
  if (!ShadowReady())
    return;
  uptr n = Length(wanted);
  DidRead(wanted, n + 1);
  DidRead(s, found ? (uptr)(found - s) + n : Length(s) + 1);
}
PAGETIDE_INTERCEPTOR(char *, strstr, const char *s, const char *wanted) {
  OnInterceptedCall();
  char *found = RESOLVED(strstr)(s, wanted);
  DidSearch(s, wanted, found);
  return found;
}
PAGETIDE_INTERCEPTOR(char *, strcasestr, const char *s, const char *wanted) {
  OnInterceptedCall();
  char *found = RESOLVED(strcasestr)(s, wanted);
  DidSearch(s, wanted, found);
  return found;
}
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
/// What is the same for narrow and wide strings.
static void DidReadString(const wchar_t *s) {
  if (s && ShadowReady())
    DidRead(s, (REAL(wcslen)(s) + 1) * sizeof(*s));
}
template <typename Char>
static void DidFindAny(const Char *s, const Char *set, const Char *found) {
  DidReadString(set);
  if (found)
    DidRead(s, ((uptr)(found - s) + 1) * sizeof(Char));
  else
    DidReadString(s);
}
template <typename Char>
static void DidSpan(const Char *s, const Char *set, uptr n) {
  DidReadString(set);
  DidRead(s, (n + 1) * sizeof(Char));
}

PAGETIDE_INTERCEPTOR(char *, strpbrk, const char *s, const char *set) {
  OnInterceptedCall();
  char *found = RESOLVED(strpbrk)(s, set);
  DidFindAny(s, set, found);
  return found;
}
PAGETIDE_INTERCEPTOR(SIZE_T, strspn, const char *s, const char *set) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(strspn)(s, set);
  DidReadString(set);
  if (*set)
    DidRead(s, n + 1);
  return n;
}
PAGETIDE_INTERCEPTOR(SIZE_T, strcspn, const char *s, const char *set) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(strcspn)(s, set);
  DidSpan(s, set, n);
  return n;
}

/// strtok_r, which leaves in *rest where the next call goes on.
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
  static char *rest; // as libc's: one for all threads
  OnInterceptedCall();
  return MarkedToken(s, set, &rest);
}
static char *MarkedStrtokR(char *s, const char *set, char **rest) {
  if (!s)
    DidReadAt(rest);
  DidWriteAt(rest);
  return MarkedToken(s, set, rest);
}
PAGETIDE_INTERCEPTOR(char *, strtok_r, char *s, const char *set, char **rest) {
  OnInterceptedCall();
  return MarkedStrtokR(s, set, rest);
}
PAGETIDE_INTERCEPTOR(char *, __strtok_r, char *s, const char *set,
                     char **rest) {
  OnInterceptedCall();
  return MarkedStrtokR(s, set, rest);
}
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
PAGETIDE_INTERCEPTOR(char *, stpcpy, char *d, const char *s) {
  OnInterceptedCall();
  return MarkedStpcpy(d, s);
}
PAGETIDE_INTERCEPTOR(char *, __stpcpy, char *d, const char *s) {
  OnInterceptedCall();
  return MarkedStpcpy(d, s);
}
/// Copies at most `most` bytes and fills up with zeros; returns the string's
/// end in d.
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
PAGETIDE_INTERCEPTOR(char *, stpncpy, char *d, const char *s, SIZE_T most) {
  OnInterceptedCall();
  return MarkedStpncpy(d, s, most);
}
PAGETIDE_INTERCEPTOR(char *, strcat, char *d, const char *s) {
  OnInterceptedCall();
  MarkedStpcpy(d + MarkedFind(d, 0, kNoBound), s);
  return d;
}
/// Appends at most `most` bytes and a zero; returns the new length.
static uptr MarkedAppend(char *d, const char *s, uptr most) {
  uptr length = MarkedFind(d, 0, kNoBound);
  uptr n = MarkedFind(s, 0, Min(most, kNoBound));
  MarkedMemcpy(d + length, s, n);
  DidWrite(d + length + n, 1);
  d[length + n] = 0;
  return length + n;
}
PAGETIDE_INTERCEPTOR(char *, strncat, char *d, const char *s, SIZE_T most) {
  OnInterceptedCall();
  MarkedAppend(d, s, most);
  return d;
}
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

static char *DidDuplicate(const char *s, uptr most, char *copy) {
  if (copy && ShadowReady()) {
    uptr n = Length(copy);
    MarkRead((uptr)s, n < most ? n + 1 : n);
    MarkWrite((uptr)copy, n + 1);
  }
  return copy;
}
PAGETIDE_INTERCEPTOR(char *, strdup, const char *s) {
  OnInterceptedCall();
  return DidDuplicate(s, kNoBound, RESOLVED(strdup)(s));
}
PAGETIDE_INTERCEPTOR(char *, __strdup, const char *s) {
  OnInterceptedCall();
  return DidDuplicate(s, kNoBound, RESOLVED(__strdup)(s));
}
PAGETIDE_INTERCEPTOR(char *, strndup, const char *s, SIZE_T most) {
  OnInterceptedCall();
  return DidDuplicate(s, most, RESOLVED(strndup)(s, most));
}
PAGETIDE_INTERCEPTOR(char *, __strndup, const char *s, SIZE_T most) {
  OnInterceptedCall();
  return DidDuplicate(s, most, RESOLVED(__strndup)(s, most));
}

// With _FORTIFY_SOURCE. libc ends the program where the room is too small.
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
PAGETIDE_INTERCEPTOR(char *, __strncpy_chk, char *d, const char *s, SIZE_T most,
                     SIZE_T room) {
  OnInterceptedCall();
  if (most > room)
    return RESOLVED(__strncpy_chk)(d, s, most, room);
  MarkedStpncpy(d, s, most);
  return d;
}
PAGETIDE_INTERCEPTOR(char *, __stpncpy_chk, char *d, const char *s, SIZE_T most,
                     SIZE_T room) {
  OnInterceptedCall();
  if (most > room)
    return RESOLVED(__stpncpy_chk)(d, s, most, room);
  return MarkedStpncpy(d, s, most);
}
PAGETIDE_INTERCEPTOR(char *, __strcat_chk, char *d, const char *s,
                     SIZE_T room) {
  OnInterceptedCall();
  if (Length(d) + Length(s) >= room)
    return RESOLVED(__strcat_chk)(d, s, room);
  MarkedStpcpy(d + MarkedFind(d, 0, kNoBound), s);
  return d;
}
PAGETIDE_INTERCEPTOR(char *, __strncat_chk, char *d, const char *s, SIZE_T most,
                     SIZE_T room) {
  OnInterceptedCall();
  uptr n = 0;
  while (n < most && s[n])
    ++n;
  if (Length(d) + n >= room)
    return RESOLVED(__strncat_chk)(d, s, most, room);
  MarkedAppend(d, s, most);
  return d;
}
PAGETIDE_INTERCEPTOR(void, __explicit_bzero_chk, void *p, SIZE_T n,
                     SIZE_T room) {
  OnInterceptedCall();
  if (n > room)
    RESOLVED(__explicit_bzero_chk)(p, n, room);
  else
    MarkedMemset(p, 0, n);
}

//===- Numbers ------------------------------------------------------------===//

/// Whether libc's isspace holds in the current locale.
static bool IsSpace(char c) {
  constexpr unsigned short kSpace = 1 << 13; // _ISspace on little-endian
  return (*__ctype_b_loc())[(u8)c] & kSpace;
}

/// Marks what a conversion of the text at `s`, which ended at `end`, looked at:
/// the first character that is no part of the number too, and where that could
/// begin a prefix or an exponent the ones after it.
static void DidConvert(const char *s, const char *end, bool real) {
  if (!ShadowReady())
    return;
  const char *p = end;
  if (p == s) { // no number: blanks and a sign may have been skipped
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

//===- Wide characters ----------------------------------------------------===//

static_assert(sizeof(wchar_t) == 4);

/// Marks n characters.
static void DidReadWide(const wchar_t *s, uptr n) { DidRead(s, n * 4); }
static void DidWriteWide(wchar_t *s, uptr n) { DidWrite(s, n * 4); }

/// Characters of a wide string before its end, `most` at most.
static uptr WideLength(const wchar_t *s, uptr most) {
  uptr n = 0;
  while (n < most && s[n])
    ++n;
  return n;
}
/// The same; marks what was looked at.
static uptr MarkedWideLength(const wchar_t *s, uptr most) {
  uptr n = WideLength(s, most);
  DidReadWide(s, n < most ? n + 1 : n);
  return n;
}

PAGETIDE_INTERCEPTOR(SIZE_T, wcslen, const wchar_t *s) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(wcslen)(s);
  DidReadWide(s, n + 1);
  return n;
}
PAGETIDE_INTERCEPTOR(SIZE_T, wcsnlen, const wchar_t *s, SIZE_T most) {
  OnInterceptedCall();
  return MarkedWideLength(s, most);
}
static wchar_t *MarkedWideCopy(wchar_t *d, const wchar_t *s) {
  uptr n = MarkedWideLength(s, kNoBound);
  MarkedMemcpy(d, s, (n + 1) * 4);
  return d + n;
}
static wchar_t *MarkedWideCopyFilled(wchar_t *d, const wchar_t *s, uptr most) {
  uptr n = MarkedWideLength(s, most);
  MarkedMemcpy(d, s, n * 4);
  MarkedMemset(d + n, 0, (most - n) * 4);
  return d + n;
}
static wchar_t *MarkedWideAppend(wchar_t *d, const wchar_t *s, uptr most) {
  uptr length = MarkedWideLength(d, kNoBound);
  uptr n = MarkedWideLength(s, most);
  MarkedMemcpy(d + length, s, n * 4);
  MarkedMemset(d + length + n, 0, 4);
  return d;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcscpy, wchar_t *d, const wchar_t *s) {
  OnInterceptedCall();
  MarkedWideCopy(d, s);
  return d;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcpcpy, wchar_t *d, const wchar_t *s) {
  OnInterceptedCall();
  return MarkedWideCopy(d, s);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcsncpy, wchar_t *d, const wchar_t *s,
                     SIZE_T most) {
  OnInterceptedCall();
  MarkedWideCopyFilled(d, s, most);
  return d;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcpncpy, wchar_t *d, const wchar_t *s,
                     SIZE_T most) {
  OnInterceptedCall();
  return MarkedWideCopyFilled(d, s, most);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcscat, wchar_t *d, const wchar_t *s) {
  OnInterceptedCall();
  return MarkedWideAppend(d, s, kNoBound);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcsncat, wchar_t *d, const wchar_t *s,
                     SIZE_T most) {
  OnInterceptedCall();
  return MarkedWideAppend(d, s, most);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcsdup, const wchar_t *s) {
  OnInterceptedCall();
  wchar_t *copy = RESOLVED(wcsdup)(s);
  if (copy && ShadowReady()) {
    uptr n = REAL(wcslen)(copy) + 1;
    DidReadWide(s, n);
    DidWriteWide(copy, n);
  }
  return copy;
}
/// Characters that a comparison looks at; `to_end`: it ends with a string.
static uptr ComparedWide(const wchar_t *a, const wchar_t *b, uptr most,
                         bool to_end) {
  uptr n = 0;
  while (n < most && a[n] == b[n] && (a[n] || !to_end))
    ++n;
  return n < most ? n + 1 : most;
}
static int MarkedWideCompare(const wchar_t *a, const wchar_t *b, uptr most,
                             bool to_end) {
  uptr n = ComparedWide(a, b, most, to_end);
  DidReadWide(a, n);
  DidReadWide(b, n);
  if (!n || a[n - 1] == b[n - 1])
    return 0;
  return a[n - 1] < b[n - 1] ? -1 : 1;
}
PAGETIDE_INTERCEPTOR(int, wcscmp, const wchar_t *a, const wchar_t *b) {
  OnInterceptedCall();
  return MarkedWideCompare(a, b, kNoBound, true);
}
PAGETIDE_INTERCEPTOR(int, wcsncmp, const wchar_t *a, const wchar_t *b,
                     SIZE_T most) {
  OnInterceptedCall();
  return MarkedWideCompare(a, b, most, true);
}
PAGETIDE_INTERCEPTOR(int, wmemcmp, const wchar_t *a, const wchar_t *b,
                     SIZE_T n) {
  OnInterceptedCall();
  return MarkedWideCompare(a, b, n, false);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcschr, const wchar_t *s, wchar_t c) {
  OnInterceptedCall();
  uptr n = 0;
  while (s[n] && s[n] != c)
    ++n;
  DidReadWide(s, n + 1);
  return s[n] == c ? (wchar_t *)s + n : nullptr;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcschrnul, const wchar_t *s, wchar_t c) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wcschrnul)(s, c);
  DidReadWide(s, (uptr)(found - s) + 1);
  return found;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcsrchr, const wchar_t *s, wchar_t c) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wcsrchr)(s, c);
  DidReadString(s);
  return found;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wmemchr, const wchar_t *s, wchar_t c,
                     SIZE_T n) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wmemchr)(s, c, n);
  DidReadWide(s, found ? (uptr)(found - s) + 1 : n);
  return found;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcsstr, const wchar_t *s,
                     const wchar_t *wanted) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wcsstr)(s, wanted);
  DidReadString(wanted);
  if (found && ShadowReady())
    DidReadWide(s, (uptr)(found - s) + REAL(wcslen)(wanted));
  else
    DidReadString(s);
  return found;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wcspbrk, const wchar_t *s, const wchar_t *set) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wcspbrk)(s, set);
  DidFindAny(s, set, found);
  return found;
}
PAGETIDE_INTERCEPTOR(SIZE_T, wcsspn, const wchar_t *s, const wchar_t *set) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(wcsspn)(s, set);
  DidSpan(s, set, n);
  return n;
}
PAGETIDE_INTERCEPTOR(SIZE_T, wcscspn, const wchar_t *s, const wchar_t *set) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(wcscspn)(s, set);
  DidSpan(s, set, n);
  return n;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wmemcpy, wchar_t *d, const wchar_t *s,
                     SIZE_T n) {
  OnInterceptedCall();
  return (wchar_t *)MarkedMemcpy(d, s, n * 4);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wmempcpy, wchar_t *d, const wchar_t *s,
                     SIZE_T n) {
  OnInterceptedCall();
  return (wchar_t *)MarkedMemcpy(d, s, n * 4) + n;
}
PAGETIDE_INTERCEPTOR(wchar_t *, wmemmove, wchar_t *d, const wchar_t *s,
                     SIZE_T n) {
  OnInterceptedCall();
  return (wchar_t *)MarkedMemmove(d, s, n * 4);
}
PAGETIDE_INTERCEPTOR(wchar_t *, wmemset, wchar_t *d, wchar_t c, SIZE_T n) {
  OnInterceptedCall();
  constexpr uptr kCharsPerStep = kStep / 4;
  for (uptr at = 0; at < n; at += kCharsPerStep) {
    uptr chars = Min(n - at, kCharsPerStep);
    DidWriteWide(d + at, chars);
    for (uptr i = 0; i < chars; ++i)
      d[at + i] = c;
  }
  return d;
}

// With _FORTIFY_SOURCE; rooms are counted in characters.
PAGETIDE_INTERCEPTOR(wchar_t *, __wmemcpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T n, SIZE_T room) {
  return n > room ? RESOLVED(__wmemcpy_chk)(d, s, n, room)
                  : WRAP(wmemcpy)(d, s, n);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wmempcpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T n, SIZE_T room) {
  return n > room ? RESOLVED(__wmempcpy_chk)(d, s, n, room)
                  : WRAP(wmempcpy)(d, s, n);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wmemmove_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T n, SIZE_T room) {
  return n > room ? RESOLVED(__wmemmove_chk)(d, s, n, room)
                  : WRAP(wmemmove)(d, s, n);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wmemset_chk, wchar_t *d, wchar_t c, SIZE_T n,
                     SIZE_T room) {
  return n > room ? RESOLVED(__wmemset_chk)(d, c, n, room)
                  : WRAP(wmemset)(d, c, n);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcscpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T room) {
  return WideLength(s, room) >= room ? RESOLVED(__wcscpy_chk)(d, s, room)
                                     : WRAP(wcscpy)(d, s);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcpcpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T room) {
  return WideLength(s, room) >= room ? RESOLVED(__wcpcpy_chk)(d, s, room)
                                     : WRAP(wcpcpy)(d, s);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcsncpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T most, SIZE_T room) {
  return most > room ? RESOLVED(__wcsncpy_chk)(d, s, most, room)
                     : WRAP(wcsncpy)(d, s, most);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcpncpy_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T most, SIZE_T room) {
  return most > room ? RESOLVED(__wcpncpy_chk)(d, s, most, room)
                     : WRAP(wcpncpy)(d, s, most);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcscat_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T room) {
  uptr length = WideLength(d, room);
  return length + WideLength(s, room) >= room
             ? RESOLVED(__wcscat_chk)(d, s, room)
             : WRAP(wcscat)(d, s);
}
PAGETIDE_INTERCEPTOR(wchar_t *, __wcsncat_chk, wchar_t *d, const wchar_t *s,
                     SIZE_T most, SIZE_T room) {
  uptr length = WideLength(d, room);
  return length + WideLength(s, most) >= room
             ? RESOLVED(__wcsncat_chk)(d, s, most, room)
             : WRAP(wcsncat)(d, s, most);
}

static void DidConvertWide(const wchar_t *s, const wchar_t *end) {
  DidReadWide(s, (uptr)(end - s) + 1);
}
#define PAGETIDE_CONVERT_WIDE(type, name, parameters, arguments)               \
  PAGETIDE_INTERCEPTOR(type, name, const wchar_t *s,                           \
                       wchar_t **end PAGETIDE_REST parameters) {               \
    OnInterceptedCall();                                                       \
    wchar_t *ended = nullptr;                                                  \
    type value = RESOLVED(name)(s, &ended PAGETIDE_REST arguments);            \
    if (!ended) /* a bad base: refused unseen */                               \
      return value;                                                            \
    DidConvertWide(s, ended);                                                  \
    if (end) {                                                                 \
      DidWriteAt(end);                                                         \
      *end = ended;                                                            \
    }                                                                          \
    return value;                                                              \
  }
#define PAGETIDE_REST(...) __VA_OPT__(, ) __VA_ARGS__
PAGETIDE_CONVERT_WIDE(long, wcstol, (int base), (base))
PAGETIDE_CONVERT_WIDE(unsigned long, wcstoul, (int base), (base))
PAGETIDE_CONVERT_WIDE(long long, wcstoll, (int base), (base))
PAGETIDE_CONVERT_WIDE(unsigned long long, wcstoull, (int base), (base))
PAGETIDE_CONVERT_WIDE(float, wcstof, (), ())
PAGETIDE_CONVERT_WIDE(double, wcstod, (), ())
PAGETIDE_CONVERT_WIDE(long double, wcstold, (), ())
