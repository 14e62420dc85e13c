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

inline void DidReadString(const wchar_t *s) {
  if (s && ShadowReady())
    DidRead(s, (REAL(wcslen)(s) + 1) * sizeof(*s));
}
template <typename Char>
void DidFindAny(const Char *s, const Char *set, const Char *found) {
  DidReadString(set);
  if (found)
    DidRead(s, ((uptr)(found - s) + 1) * sizeof(Char));
  else
    DidReadString(s);
}
template <typename Char> void DidSpan(const Char *s, const Char *set, uptr n) {
  DidReadString(set);
  DidRead(s, (n + 1) * sizeof(Char));
}

inline void DidReadWideString(const wchar_t *s) {
  if (ShadowReady())
    MarkRead((uptr)s, (RESOLVED(wcslen)(s) + 1) * 4);
}
inline void DidWriteWideString(const wchar_t *s) {
  if (ShadowReady())
    MarkWrite((uptr)s, (RESOLVED(wcslen)(s) + 1) * 4);
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_STRING_MARKS_H
