//===- entry_points.cpp - What the pass calls for ranges of memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/memory.h"
#include "interceptors/period_by_calls.h"
#include "platform/exports.h"
#include "shadow/call_sites.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"

using namespace pagetide;

// The pass replaces memory intrinsics by calls of these.
PAGETIDE_EXPORT void *__pagetide_memcpy(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memmove(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  return MarkedMemmove(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memset(void *d, int c, uptr n) {
  OnInterceptedCall();
  return MarkedMemset(d, c, n);
}
PAGETIDE_EXPORT void __pagetide_mark_read(const void *p, uptr n) {
  if (ShadowReady())
    MarkRead((uptr)p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_write(const void *p, uptr n) {
  if (ShadowReady())
    MarkWrite((uptr)p, n);
}

// The same under a layout with sites.
PAGETIDE_EXPORT void *__pagetide_memcpy_at(void *d, const void *s, uptr n,
                                           u32 site) {
  OnInterceptedCall();
  return MarkedMemcpyAt(d, s, n, site);
}
PAGETIDE_EXPORT void *__pagetide_memmove_at(void *d, const void *s, uptr n,
                                            u32 site) {
  OnInterceptedCall();
  return MarkedMemmoveAt(d, s, n, site);
}
PAGETIDE_EXPORT void *__pagetide_memset_at(void *d, int c, uptr n, u32 site) {
  OnInterceptedCall();
  return MarkedMemsetAt(d, c, n, site);
}
PAGETIDE_EXPORT void __pagetide_mark_read_at(const void *p, uptr n, u32 site) {
  NamedSite named(site);
  __pagetide_mark_read(p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_write_at(const void *p, uptr n, u32 site) {
  NamedSite named(site);
  __pagetide_mark_write(p, n);
}
