//===- interceptor.cpp - What all interceptors stand on -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"

using namespace pagetide;

// Used before its interceptor is defined.
DECLARE_REAL(SIZE_T, strlen, const char *s)

namespace pagetide {

uptr Length(const char *s) {
  if (Active())
    return REAL(strlen)(s);
  uptr n = 0;
  while (s[n])
    ++n;
  return n;
}

} // namespace pagetide
