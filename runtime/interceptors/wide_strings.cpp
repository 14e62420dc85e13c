//===- wide_strings.cpp - Wide strings ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These functions mark at return.

#include "interceptors/interceptor.h"
#include "interceptors/memory.h"
#include "interceptors/string_marks.h"

using namespace pagetide;

static_assert(sizeof(wchar_t) == 4);

/// Marks n characters.
static void DidReadWide(const wchar_t *s, uptr n) { DidRead(s, n * 4); }
static void DidWriteWide(wchar_t *s, uptr n) { DidWrite(s, n * 4); }

/// LengthWithin that marks what it has read.
static uptr MarkedWideLength(const wchar_t *s, uptr most) {
  uptr n = LengthWithin(s, most);
  DidReadWide(s, n < most ? n + 1 : n);
  return n;
}

PAGETIDE_INTERCEPTOR(SIZE_T, wcslen, const wchar_t *s) {
  OnInterceptedCall();
  SIZE_T n = RESOLVED(wcslen)(s);
  DidReadWide(s, n + 1);
  return n;
}
PAGETIDE_MARKED(SIZE_T, wcsnlen, (const wchar_t *s, SIZE_T most),
                MarkedWideLength(s, most))
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
/// Nothing is touched if `most` is 0, as in glibc since 2.38.
static wchar_t *MarkedWideAppend(wchar_t *d, const wchar_t *s, uptr most) {
  if (!most)
    return d;
  uptr length = MarkedWideLength(d, kNoBound);
  uptr n = MarkedWideLength(s, most);
  MarkedMemcpy(d + length, s, n * 4);
  MarkedMemset(d + length + n, 0, 4);
  return d;
}
/// Copies what fits in `room` with a zero. Returns the length of s.
static uptr MarkedWideCopyWithin(wchar_t *d, const wchar_t *s, uptr room) {
  const uptr n = RESOLVED(wcslen)(s);
  DidReadWide(s, n + 1);
  if (!room)
    return n;
  const uptr kept = Min(n, room - 1);
  MarkedMemcpy(d, s, kept * 4);
  MarkedMemset(d + kept, 0, 4);
  return n;
}
static uptr MarkedWideAppendWithin(wchar_t *d, const wchar_t *s, uptr room) {
  const uptr length = MarkedWideLength(d, room);
  return length + MarkedWideCopyWithin(d + length, s, room - length);
}
PAGETIDE_MARKED(SIZE_T, wcslcpy, (wchar_t * d, const wchar_t *s, SIZE_T room),
                MarkedWideCopyWithin(d, s, room))
PAGETIDE_MARKED(SIZE_T, wcslcat, (wchar_t * d, const wchar_t *s, SIZE_T room),
                MarkedWideAppendWithin(d, s, room))
PAGETIDE_INTERCEPTOR(wchar_t *, wcscpy, wchar_t *d, const wchar_t *s) {
  OnInterceptedCall();
  MarkedWideCopy(d, s);
  return d;
}
PAGETIDE_MARKED(wchar_t *, wcpcpy, (wchar_t * d, const wchar_t *s),
                MarkedWideCopy(d, s))
PAGETIDE_INTERCEPTOR(wchar_t *, wcsncpy, wchar_t *d, const wchar_t *s,
                     SIZE_T most) {
  OnInterceptedCall();
  MarkedWideCopyFilled(d, s, most);
  return d;
}
PAGETIDE_MARKED(wchar_t *, wcpncpy,
                (wchar_t * d, const wchar_t *s, SIZE_T most),
                MarkedWideCopyFilled(d, s, most))
PAGETIDE_MARKED(wchar_t *, wcscat, (wchar_t * d, const wchar_t *s),
                MarkedWideAppend(d, s, kNoBound))
PAGETIDE_MARKED(wchar_t *, wcsncat,
                (wchar_t * d, const wchar_t *s, SIZE_T most),
                MarkedWideAppend(d, s, most))
/// Characters that a comparison looks at; `to_end`: it stops at a string's end.
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
PAGETIDE_MARKED(int, wcscmp, (const wchar_t *a, const wchar_t *b),
                MarkedWideCompare(a, b, kNoBound, true))
PAGETIDE_MARKED(int, wcsncmp, (const wchar_t *a, const wchar_t *b, SIZE_T most),
                MarkedWideCompare(a, b, most, true))
PAGETIDE_MARKED(int, wmemcmp, (const wchar_t *a, const wchar_t *b, SIZE_T n),
                MarkedWideCompare(a, b, n, false))
PAGETIDE_INTERCEPTOR(wchar_t *, wcsstr, const wchar_t *s,
                     const wchar_t *wanted) {
  OnInterceptedCall();
  wchar_t *found = RESOLVED(wcsstr)(s, wanted);
  if (found && ShadowReady()) {
    DidReadString(wanted);
    DidReadWide(s, (uptr)(found - s) + REAL(wcslen)(wanted));
  } else {
    MayHaveReadString(wanted, true);
    DidReadString(s);
  }
  return found;
}
PAGETIDE_MARKED(wchar_t *, wmemcpy, (wchar_t * d, const wchar_t *s, SIZE_T n),
                (wchar_t *)MarkedMemcpy(d, s, n * 4))
PAGETIDE_MARKED(wchar_t *, wmempcpy, (wchar_t * d, const wchar_t *s, SIZE_T n),
                (wchar_t *)MarkedMemcpy(d, s, n * 4) + n)
PAGETIDE_MARKED(wchar_t *, wmemmove, (wchar_t * d, const wchar_t *s, SIZE_T n),
                (wchar_t *)MarkedMemmove(d, s, n * 4))
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

// With _FORTIFY_SOURCE. Rooms are counted in characters.
#define PAGETIDE_MOVE_CHK(type, name)                                          \
  PAGETIDE_CHK(type, name, (wchar_t * d, const wchar_t *s, SIZE_T n),          \
               (d, s, n), n <= room)
PAGETIDE_MOVE_CHK(wchar_t *, wmemcpy)
PAGETIDE_MOVE_CHK(wchar_t *, wmempcpy)
PAGETIDE_MOVE_CHK(wchar_t *, wmemmove)
PAGETIDE_MOVE_CHK(wchar_t *, wcsncpy)
PAGETIDE_MOVE_CHK(wchar_t *, wcpncpy)
PAGETIDE_MOVE_CHK(SIZE_T, wcslcpy)
PAGETIDE_MOVE_CHK(SIZE_T, wcslcat)
PAGETIDE_CHK(wchar_t *, wmemset, (wchar_t * d, wchar_t c, SIZE_T n), (d, c, n),
             n <= room)
PAGETIDE_CHK(wchar_t *, wcscpy, (wchar_t * d, const wchar_t *s), (d, s),
             LengthWithin(s, room) < room)
PAGETIDE_CHK(wchar_t *, wcpcpy, (wchar_t * d, const wchar_t *s), (d, s),
             LengthWithin(s, room) < room)
PAGETIDE_CHK(wchar_t *, wcscat, (wchar_t * d, const wchar_t *s), (d, s),
             LengthWithin(d, room) + LengthWithin(s, room) < room)
PAGETIDE_CHK(wchar_t *, wcsncat, (wchar_t * d, const wchar_t *s, SIZE_T most),
             (d, s, most), LengthWithin(d, room) + LengthWithin(s, most) < room)

/// A token, as strtok_r finds it.
PAGETIDE_INTERCEPTOR(wchar_t *, wcstok, wchar_t *s, const wchar_t *set,
                     wchar_t **rest) {
  OnInterceptedCall();
  wchar_t *const from = s ? s : ValueAt(rest);
  wchar_t *const token = RESOLVED(wcstok)(s, set, rest);
  if (!ShadowReady())
    return token;
  if (!s)
    DidReadAt(rest);
  if (!from)
    return token;
  DidWriteAt(rest);
  MayHaveReadString(set, false);
  wchar_t *const end = ValueAt(rest);
  if (token && end) { // behind the zero that ends the token
    DidRead(from, (uptr)end - (uptr)from);
    DidWrite(end - 1, sizeof(*end));
  } else {
    DidReadString(from);
  }
  return token;
}
