//===- memory.h - memcpy and the like, with marks -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs spend much of their time in short calls of these functions. So each
// layout with granules of 4 KiB has a version that does only what a short call
// needs. Which version is used is decided once.

#pragma once

#include "interceptors/real_functions.h"
#include "platform/syscalls.h"

namespace pagetide {

/// The versions in use; null before the real functions are known. (There is no
/// initial value: resolvers of other libraries may call before this library has
/// been relocated.)
struct MemoryFunctions {
  void *(*memcpy)(void *d, const void *s, uptr n);
  void *(*memmove)(void *d, const void *s, uptr n);
  void *(*memset)(void *d, int c, uptr n);
  int (*memcmp)(const void *a, const void *b, uptr n);
  int (*strncmp)(const char *a, const char *b, uptr most);
  // Of calls that say their site; null: the general ones.
  void *(*memcpy_at)(void *d, const void *s, uptr n, u32 site) = nullptr;
  void *(*memmove_at)(void *d, const void *s, uptr n, u32 site) = nullptr;
  void *(*memset_at)(void *d, int c, uptr n, u32 site) = nullptr;
};
extern MemoryFunctions memory_functions;

/// Null before they are known, and if code reaches this library's alone.
struct UsualMemoryFunctions {
  UsualAddresses memcpy, memmove, memset;
};
extern UsualMemoryFunctions usual_memory_functions;

/// Called when the real functions have become known, and when the shadow has
/// become ready.
void ChooseMemoryFunctions();

/// For any length, any granule, and any time.
void *AnyMemcpy(void *d, const void *s, uptr n);
void *AnyMemmove(void *d, const void *s, uptr n);
void *AnyMemset(void *d, int c, uptr n);
int AnyMemcmp(const void *a, const void *b, uptr n);
int AnyStrncmp(const char *a, const char *b, uptr most); // strings.cpp
void *AnyMemcpyAt(void *d, const void *s, uptr n, u32 site);
void *AnyMemmoveAt(void *d, const void *s, uptr n, u32 site);
void *AnyMemsetAt(void *d, int c, uptr n, u32 site);

/// These mark what they touch, in steps of abi::kRangeStep bytes. They mark
/// before the access (comparisons: after it). Async-signal-safe.
inline void *MarkedMemcpy(void *d, const void *s, uptr n) {
  return (memory_functions.memcpy ? memory_functions.memcpy : AnyMemcpy)(d, s,
                                                                         n);
}
inline void *MarkedMemmove(void *d, const void *s, uptr n) {
  return (memory_functions.memmove ? memory_functions.memmove
                                   : AnyMemmove)(d, s, n);
}
inline void *MarkedMemset(void *d, int c, uptr n) {
  return (memory_functions.memset ? memory_functions.memset : AnyMemset)(d, c,
                                                                         n);
}
inline int MarkedMemcmp(const void *a, const void *b, uptr n) {
  return (memory_functions.memcmp ? memory_functions.memcmp : AnyMemcmp)(a, b,
                                                                         n);
}
/// kNoBound makes it strcmp.
inline int MarkedStrncmp(const char *a, const char *b, uptr most) {
  return (memory_functions.strncmp ? memory_functions.strncmp
                                   : AnyStrncmp)(a, b, most);
}
inline void *MarkedMemcpyAt(void *d, const void *s, uptr n, u32 site) {
  return (memory_functions.memcpy_at ? memory_functions.memcpy_at
                                     : AnyMemcpyAt)(d, s, n, site);
}
inline void *MarkedMemmoveAt(void *d, const void *s, uptr n, u32 site) {
  return (memory_functions.memmove_at ? memory_functions.memmove_at
                                      : AnyMemmoveAt)(d, s, n, site);
}
inline void *MarkedMemsetAt(void *d, int c, uptr n, u32 site) {
  return (memory_functions.memset_at ? memory_functions.memset_at
                                     : AnyMemsetAt)(d, c, n, site);
}

} // namespace pagetide

/// An interceptor that does the work itself, and marks as it goes.
#define PAGETIDE_MARKED(type, name, parameters, ...)                           \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK parameters) {               \
    OnInterceptedCall();                                                       \
    return __VA_ARGS__;                                                        \
  }
