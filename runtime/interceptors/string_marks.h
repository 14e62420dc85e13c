//===- string_marks.h - Marks that narrow and wide strings share ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/interceptor.h"

DECLARE_REAL(SIZE_T, wcslen, const wchar_t *s)

namespace pagetide {

/// Characters of a string before its end, at most `most`.
template <typename Char> uptr LengthWithin(const Char *s, uptr most) {
  uptr n = 0;
  while (n < most && s[n])
    ++n;
  return n;
}
/// The same with the end, if it is among them.
template <typename Char> uptr LengthWithEnd(const Char *s, uptr most) {
  uptr n = LengthWithin(s, most);
  return n < most ? n + 1 : n;
}

inline void DidReadString(const wchar_t *s) {
  if (s && ShadowReady())
    MarkRead((uptr)s, (RESOLVED(wcslen)(s) + 1) * sizeof(*s));
}
inline void DidWriteString(const wchar_t *s) {
  if (s && ShadowReady())
    MarkWrite((uptr)s, (RESOLVED(wcslen)(s) + 1) * sizeof(*s));
}
/// A set of characters. libc compares wide ones with each in turn, and so reads
/// the `whole` set only for one that is not in it.
inline void DidReadSet(const char *set, bool) { DidReadString(set); }
inline void DidReadSet(const wchar_t *set, bool whole) {
  whole ? DidReadString(set) : MayHaveReadString(set, false);
}
template <typename Char>
void DidFindAny(const Char *s, const Char *set, const Char *found) {
  DidReadSet(set, found ? found != s : *s != 0);
  if (found)
    DidRead(s, ((uptr)(found - s) + 1) * sizeof(Char));
  else if (*set)
    DidReadString(s);
  else
    MayHaveReadString(s, false);
}
template <typename Char>
void DidSpan(const Char *s, const Char *set, uptr n, bool whole_set) {
  DidReadSet(set, whole_set);
  DidRead(s, (n + 1) * sizeof(Char));
}

//===- Characters of several bytes ----------------------------------------===//

constexpr uptr kMaxBytesOfCharacter = 16; // MB_LEN_MAX

/// A conversion's state, which it reads and writes if it has to.
inline void DidUseState(const void *state) {
  if (!state)
    return;
  MarkMayRead((uptr)state, 8);
  MarkMayWrite((uptr)state, 8);
}
/// One character of `used` bytes has become one of `size` bytes. -1: it is
/// invalid. -2: it is incomplete. -3: it is the second half of one that an
/// earlier call has read.
inline void DidConvertOne(void *to, uptr size, const void *s, uptr n,
                          sptr used) {
  constexpr sptr kSecondHalf = -3;
  if (!s)
    return;
  if (used < 0)
    MarkMayRead((uptr)s, Min(n, kMaxBytesOfCharacter));
  else
    MarkRead((uptr)s, used ? (uptr)used : n ? 1 : 0);
  if (to && n && (used >= 0 || used == kSecondHalf))
    MarkWrite((uptr)to, size);
}

} // namespace pagetide

// The variant of a function that checks its room (_FORTIFY_SOURCE). libc ends
// the program if what is stored does not fit.
#define PAGETIDE_CHK(type, name, parameters, arguments, fits)                  \
  PAGETIDE_INTERCEPTOR(type, __##name##_chk, PAGETIDE_UNPACK parameters,       \
                       SIZE_T room) {                                          \
    return fits ? WRAP(name) arguments                                         \
                : RESOLVED(__##name##_chk)(PAGETIDE_UNPACK arguments, room);   \
  }
