//===- internal_mem.h - Moving memory without libc ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// As libc's, but never anybody's interceptor: for code that runs before libc
/// is ready, and on the recorder's threads.
void *InternalMemcpy(void *d, const void *s, uptr n);
void *InternalMemmove(void *d, const void *s, uptr n);
void *InternalMemset(void *d, int c, uptr n);
int InternalMemcmp(const void *a, const void *b, uptr n);
void *InternalMemchr(const void *s, int c, uptr n);

bool StartsWith(const char *text, const char *head);

} // namespace pagetide
