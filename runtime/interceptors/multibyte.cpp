//===- multibyte.cpp - Character sets -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"

using namespace pagetide;

/// A pointer or a length, which libc perhaps has not stored if it is as before.
template <typename T> static void DidStep(T *p, bool changed) {
  changed ? DidWriteAt(p) : MarkMayWrite((uptr)p, sizeof(*p));
}

PAGETIDE_INTERCEPTOR(SIZE_T, iconv, void *set, char **in, SIZE_T *in_left,
                     char **out, SIZE_T *out_left) {
  OnInterceptedCall();
  char *const in_from = ValueAt(in), *const out_from = ValueAt(out);
  InFlight in_flight(out_from, ValueAt(out_left));
  SIZE_T result = RESOLVED(iconv)(set, in, in_left, out, out_left);
  if (!ShadowReady())
    return result;
  DidReadAt(in), DidReadAt(out);
  if (out_from) {
    DidStep(out, *out != out_from);
    DidReadAt(out_left), DidStep(out_left, *out != out_from);
    MarkWrite((uptr)out_from, (uptr)(*out - out_from));
  }
  if (in_from) {
    DidStep(in, *in != in_from);
    DidReadAt(in_left), DidStep(in_left, *in != in_from);
    MarkRead((uptr)in_from, (uptr)(*in - in_from));
    // It may have read a character that is incomplete or invalid, or for which
    // there was no room.
    MarkMayRead((uptr)*in, Min(*in_left, SIZE_T{16}));
  }
  return result;
}

/// libc has made n wide characters of s; there was room for `room`.
static void DidMakeWide(wchar_t *d, const char *s, uptr room, uptr n) {
  if (n == (uptr)-1) {
    MayHaveReadString(s, true);
    if (d)
      MarkMayWrite((uptr)d, room * 4);
    return;
  }
  if (d)
    MarkWrite((uptr)d, (n < room ? n + 1 : n) * 4);
  if (!d || n < room) {
    DidReadString(s);
  } else { // each character has one byte or several
    MarkRead((uptr)s, n);
    MayHaveReadString(s, n, n * kMaxBytesOfCharacter);
  }
}
static void DidMakeNarrow(char *d, const wchar_t *s, uptr room, uptr n) {
  if (n == (uptr)-1) {
    MayHaveReadString(s, true);
    if (d)
      MarkMayWrite((uptr)d, room);
    return;
  }
  if (d)
    MarkWrite((uptr)d, n < room ? n + 1 : n);
  if (!d || n < room) {
    MarkRead((uptr)s, (LengthWithin(s, kNoBound) + 1) * 4);
  } else {
    uptr certain = n / kMaxBytesOfCharacter;
    MarkRead((uptr)s, certain * 4);
    MayHaveReadString(s, n, n);
  }
}
#define PAGETIDE_TO_WIDE(name, rest, rest_arguments)                           \
  PAGETIDE_AFTER(                                                              \
      SIZE_T, name,                                                            \
      (wchar_t * d, const char *s, SIZE_T room PAGETIDE_UNPACK rest),          \
      (d, s, room PAGETIDE_UNPACK rest_arguments),                             \
      DidMakeWide(d, s, room, result))
#define PAGETIDE_TO_NARROW(name, rest, rest_arguments)                         \
  PAGETIDE_AFTER(                                                              \
      SIZE_T, name,                                                            \
      (char *d, const wchar_t *s, SIZE_T room PAGETIDE_UNPACK rest),           \
      (d, s, room PAGETIDE_UNPACK rest_arguments),                             \
      DidMakeNarrow(d, s, room, result))
PAGETIDE_TO_WIDE(mbstowcs, (), ())
PAGETIDE_TO_WIDE(__mbstowcs_chk, (, SIZE_T size), (, size))
PAGETIDE_TO_NARROW(wcstombs, (), ())
PAGETIDE_TO_NARROW(__wcstombs_chk, (, SIZE_T size), (, size))

// These store in *s where they stopped; null means that they reached the
// string's end.
template <typename To, typename From>
static void DidConvertFrom(To *d, const From **s, const From *from, uptr room,
                           uptr n) {
  DidReadAt(s);
  if (d)
    DidStep(s, *s != from);
  if (n == (uptr)-1 || !d) {
    MayHaveReadString(from, true);
    if (d)
      MarkMayWrite((uptr)d, room * sizeof(To));
    return;
  }
  MarkWrite((uptr)d, (*s ? n : n + 1) * sizeof(To));
  MarkRead((uptr)from, *s ? (uptr)*s - (uptr)from
                          : (LengthWithin(from, kNoBound) + 1) * sizeof(From));
}
#define PAGETIDE_CONVERT_FROM(name, To, From, rest, rest_arguments)            \
  PAGETIDE_AROUND(                                                             \
      SIZE_T, name,                                                            \
      (To * d, const From **s, SIZE_T room, void *state PAGETIDE_UNPACK rest), \
      (d, s, room, state PAGETIDE_UNPACK rest_arguments),                      \
      const From *from = ValueAt(s), DidConvertFrom(d, s, from, room, result); \
      DidUseState(state))
PAGETIDE_CONVERT_FROM(mbsrtowcs, wchar_t, char, (), ())
PAGETIDE_CONVERT_FROM(__mbsrtowcs_chk, wchar_t, char, (, SIZE_T n), (, n))
PAGETIDE_CONVERT_FROM(wcsrtombs, char, wchar_t, (), ())
PAGETIDE_CONVERT_FROM(__wcsrtombs_chk, char, wchar_t, (, SIZE_T n), (, n))

/// The same with a bound of the source, behind which nothing is read. An end
/// within the bound is converted too.
template <typename To, typename From>
static void DidConvertSome(To *d, const From **s, const From *from, uptr most,
                           uptr room, uptr n) {
  if (!most)
    return MarkMayRead((uptr)s, sizeof(*s));
  DidReadAt(s);
  if (d)
    DidStep(s, *s != from);
  if (n == (uptr)-1 || !d) {
    MayHaveReadString(from, most > 0, most);
    if (d)
      MarkMayWrite((uptr)d, room * sizeof(To));
    return;
  }
  MarkWrite((uptr)d, (*s ? n : n + 1) * sizeof(To));
  MarkRead((uptr)from, *s ? (uptr)*s - (uptr)from
                          : LengthWithEnd(from, most) * sizeof(From));
  if (*s) // a character for which there was no room
    MayHaveReadString(*s, false,
                      Min(kMaxBytesOfCharacter, most - (uptr)(*s - from)));
}
#define PAGETIDE_CONVERT_SOME(name, To, From, rest, rest_arguments)            \
  PAGETIDE_AROUND(SIZE_T, name,                                                \
                  (To * d, const From **s, SIZE_T most, SIZE_T room,           \
                   void *state PAGETIDE_UNPACK rest),                          \
                  (d, s, most, room, state PAGETIDE_UNPACK rest_arguments),    \
                  const From *from = ValueAt(s),                               \
                  DidConvertSome(d, s, from, most, room, result);              \
                  DidUseState(state))
PAGETIDE_CONVERT_SOME(mbsnrtowcs, wchar_t, char, (), ())
PAGETIDE_CONVERT_SOME(__mbsnrtowcs_chk, wchar_t, char, (, SIZE_T n), (, n))
PAGETIDE_CONVERT_SOME(wcsnrtombs, char, wchar_t, (), ())
PAGETIDE_CONVERT_SOME(__wcsnrtombs_chk, char, wchar_t, (, SIZE_T n), (, n))

// These look at a string's first byte, even if they may not.
PAGETIDE_AFTER(int, mbtowc, (wchar_t * d, const char *s, SIZE_T n), (d, s, n),
               if (s) MarkMayRead((uptr)s, 1);
               DidConvertOne(d, sizeof(*d), s, n, result))
PAGETIDE_AFTER(int, mblen, (const char *s, SIZE_T n), (s, n),
               if (s) MarkMayRead((uptr)s, 1);
               DidConvertOne(nullptr, 0, s, n, result))
PAGETIDE_AFTER(SIZE_T, mbrtowc,
               (wchar_t * d, const char *s, SIZE_T n, void *state),
               (d, s, n, state),
               DidConvertOne(d, sizeof(*d), s, n, (sptr)result);
               DidUseState(state))
PAGETIDE_AFTER(SIZE_T, mbrlen, (const char *s, SIZE_T n, void *state),
               (s, n, state), DidConvertOne(nullptr, 0, s, n, (sptr)result);
               DidUseState(state))
#define PAGETIDE_TO_BYTES(type, name, rest, rest_arguments, after)             \
  PAGETIDE_AFTER(type, name, (char *d, wchar_t c PAGETIDE_UNPACK rest),        \
                 (d, c PAGETIDE_UNPACK rest_arguments),                        \
                 if (d && (sptr)result > 0) MarkWrite((uptr)d, (uptr)result);  \
                 after)
PAGETIDE_TO_BYTES(int, wctomb, (), (), )
PAGETIDE_TO_BYTES(int, __wctomb_chk, (, SIZE_T room), (, room), )
PAGETIDE_TO_BYTES(SIZE_T, wcrtomb, (, void *state), (, state),
                  DidUseState(state))
PAGETIDE_TO_BYTES(SIZE_T, __wcrtomb_chk, (, void *state, SIZE_T room),
                  (, state, room), DidUseState(state))
