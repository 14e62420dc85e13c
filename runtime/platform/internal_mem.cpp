//===- internal_mem.cpp - Moving memory without libc ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS

#include "platform/internal_mem.h"

#include "arch/copies.h"

namespace pagetide {

// `rep movsb` and `rep stosb` run at memory speed on processors of this decade.

void *InternalMemcpy(void *d, const void *s, uptr n) {
  CopyUpwards(d, s, n);
  return d;
}

void *InternalMemmove(void *d, const void *s, uptr n) {
  if ((uptr)d <= (uptr)s || (uptr)d >= (uptr)s + n)
    CopyUpwards(d, s, n);
  else
    CopyDownwards(d, s, n);
  return d;
}

void *InternalMemset(void *d, int c, uptr n) {
  Fill(d, c, n);
  return d;
}

int InternalMemcmp(const void *a, const void *b, uptr n) {
  const u8 *x = (const u8 *)a, *y = (const u8 *)b;
  for (uptr i = 0; i < n; ++i)
    if (x[i] != y[i])
      return x[i] - y[i];
  return 0;
}

void *InternalMemchr(const void *s, int c, uptr n) {
  const u8 *p = (const u8 *)s;
  for (uptr i = 0; i < n; ++i)
    if (p[i] == (u8)c)
      return (void *)(p + i);
  return nullptr;
}

bool StartsWith(const char *text, const char *head) {
  for (; *head; ++text, ++head)
    if (*text != *head)
      return false;
  return true;
}

} // namespace pagetide

// What zstd calls inside this library (cmake/PrivateZstd.cmake renames them).
extern "C" {
void *__pagetide_internal_memcpy(void *d, const void *s, pagetide::uptr n) {
  return pagetide::InternalMemcpy(d, s, n);
}
void *__pagetide_internal_memmove(void *d, const void *s, pagetide::uptr n) {
  return pagetide::InternalMemmove(d, s, n);
}
void *__pagetide_internal_memset(void *d, int c, pagetide::uptr n) {
  return pagetide::InternalMemset(d, c, n);
}
int __pagetide_internal_memcmp(const void *a, const void *b, pagetide::uptr n) {
  return pagetide::InternalMemcmp(a, b, n);
}
}
