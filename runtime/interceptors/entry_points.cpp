//===- entry_points.cpp - What the pass calls for ranges of memory --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/memory.h"
#include "interceptors/period_by_calls.h"
#include "interceptors/real_functions.h"
#include "platform/exports.h"
#include "shadow/call_sites.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"

using namespace pagetide;

using Copier = void *(void *d, const void *s, uptr n);
using Filler = void *(void *d, int c, uptr n);

extern "C" Copier TRAMPOLINE(memcpy), TRAMPOLINE(memmove);
extern "C" Filler TRAMPOLINE(memset);

/// Whether NAME is libc's in the file that calls: `called` stands for it.
#define PAGETIDE_IS_LIBCS(name)                                                \
  (__builtin_expect(called == TRAMPOLINE(name), 1) ||                          \
   usual_memory_functions.name.Have((void *)called))

// What another function does by its contract is marked. Its code may have marks
// of its own.
static void *CopyBy(Copier *called, void *d, const void *s, uptr n) {
  if (ShadowReady()) {
    MarkRead((uptr)s, n);
    MarkWrite((uptr)d, n);
  }
  return called(d, s, n);
}
static void *FillBy(Filler *called, void *d, int c, uptr n) {
  if (ShadowReady())
    MarkWrite((uptr)d, n);
  return called(d, c, n);
}

// Marked code calls these in place of memory intrinsics (abi.h); those that end
// in _at, under a layout with sites.
#define PAGETIDE_MEMORY_FUNCTION(name, Kind, By, Marked, Source)               \
  PAGETIDE_EXPORT void *__pagetide_##name(void *d, Source s, uptr n, uptr,     \
                                          uptr, Kind *called) {                \
    OnInterceptedCall();                                                       \
    return PAGETIDE_IS_LIBCS(name) ? Marked(d, s, n) : By(called, d, s, n);    \
  }                                                                            \
  PAGETIDE_EXPORT void *__pagetide_##name##_at(void *d, Source s, uptr n,      \
                                               u32 site, uptr, Kind *called) { \
    OnInterceptedCall();                                                       \
    if (PAGETIDE_IS_LIBCS(name))                                               \
      return Marked##At(d, s, n, site);                                        \
    const NamedSite named(site);                                               \
    return By(called, d, s, n);                                                \
  }
PAGETIDE_MEMORY_FUNCTION(memcpy, Copier, CopyBy, MarkedMemcpy, const void *)
PAGETIDE_MEMORY_FUNCTION(memmove, Copier, CopyBy, MarkedMemmove, const void *)
PAGETIDE_MEMORY_FUNCTION(memset, Filler, FillBy, MarkedMemset, int)

PAGETIDE_EXPORT void __pagetide_mark_read(const void *p, uptr n) {
  if (ShadowReady())
    MarkRead((uptr)p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_write(const void *p, uptr n) {
  if (ShadowReady())
    MarkWrite((uptr)p, n);
}

PAGETIDE_EXPORT void __pagetide_mark_read_at(const void *p, uptr n, u32 site) {
  NamedSite named(site);
  __pagetide_mark_read(p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_write_at(const void *p, uptr n, u32 site) {
  NamedSite named(site);
  __pagetide_mark_write(p, n);
}
