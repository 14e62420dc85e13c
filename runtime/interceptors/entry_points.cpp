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

/// What the program's own function of that name does by its contract. Its code
/// may have marks of its own.
static void MarkCopy(void *d, const void *s, uptr n) {
  if (!ShadowReady())
    return;
  MarkRead((uptr)s, n);
  MarkWrite((uptr)d, n);
}
#define PAGETIDE_OWN(name) (program_memory_functions.name)
#define PAGETIDE_HAS_OWN(name)                                                 \
  __builtin_expect(PAGETIDE_OWN(name) != nullptr, 0)

// The pass replaces memory intrinsics by calls of these.
PAGETIDE_EXPORT void *__pagetide_memcpy(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  if (PAGETIDE_HAS_OWN(memcpy)) {
    MarkCopy(d, s, n);
    return PAGETIDE_OWN(memcpy)(d, s, n);
  }
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memmove(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  if (PAGETIDE_HAS_OWN(memmove)) {
    MarkCopy(d, s, n);
    return PAGETIDE_OWN(memmove)(d, s, n);
  }
  return MarkedMemmove(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memset(void *d, int c, uptr n) {
  OnInterceptedCall();
  if (PAGETIDE_HAS_OWN(memset)) {
    if (ShadowReady())
      MarkWrite((uptr)d, n);
    return PAGETIDE_OWN(memset)(d, c, n);
  }
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
  if (PAGETIDE_HAS_OWN(memcpy)) {
    const NamedSite named(site);
    return __pagetide_memcpy(d, s, n);
  }
  OnInterceptedCall();
  return MarkedMemcpyAt(d, s, n, site);
}
PAGETIDE_EXPORT void *__pagetide_memmove_at(void *d, const void *s, uptr n,
                                            u32 site) {
  if (PAGETIDE_HAS_OWN(memmove)) {
    const NamedSite named(site);
    return __pagetide_memmove(d, s, n);
  }
  OnInterceptedCall();
  return MarkedMemmoveAt(d, s, n, site);
}
PAGETIDE_EXPORT void *__pagetide_memset_at(void *d, int c, uptr n, u32 site) {
  if (PAGETIDE_HAS_OWN(memset)) {
    const NamedSite named(site);
    return __pagetide_memset(d, c, n);
  }
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
