//===- interceptor.cpp - What all interceptors stand on -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/interceptor.h"

#include "interceptors/path_errors.h"

using namespace pagetide;

// Used before its interceptor is defined.
DECLARE_REAL(SIZE_T, strlen, const char *s)

namespace pagetide {

template <typename Char>
uptr ReadableLength(const Char *s, uptr most, bool known) {
  constexpr uptr kPage = 4096;
  for (uptr n = 0; n < most; ++n) {
    const uptr last = (uptr)(s + n) + sizeof(Char) - 1;
    char byte;
    // The rest of a page can be read if a part of it can.
    if (((!n && !known) || (n && last % kPage < sizeof(Char))) &&
        !ReadIfMapped(&byte, last, 1))
      return n;
    if (!s[n])
      return n + 1;
  }
  return most;
}
template uptr ReadableLength(const char *, uptr, bool);
template uptr ReadableLength(const wchar_t *, uptr, bool);

void DidReadPath(const char *path, bool failed) {
  if (!failed)
    return DidReadString(path);
  if (!HasLookedForFile(errno))
    MayHaveReadString(path, false, kMaxPathBytes);
  else if (path && ShadowReady())
    MarkRead((uptr)path, ReadableLength(path, kMaxPathBytes, false));
}

uptr Length(const char *s) {
  if (Active())
    return REAL(strlen)(s);
  uptr n = 0;
  while (s[n])
    ++n;
  return n;
}

} // namespace pagetide
