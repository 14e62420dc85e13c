//===- string_marks.h - Marks that narrow and wide strings share ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_STRING_MARKS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_STRING_MARKS_H

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
template <typename Char>
void DidFindAny(const Char *s, const Char *set, const Char *found) {
  DidReadString(set);
  if (found)
    DidRead(s, ((uptr)(found - s) + 1) * sizeof(Char));
  else if (*set)
    DidReadString(s);
  else
    MayHaveReadString(s, false);
}
template <typename Char> void DidSpan(const Char *s, const Char *set, uptr n) {
  DidReadString(set);
  DidRead(s, (n + 1) * sizeof(Char));
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_STRING_MARKS_H
