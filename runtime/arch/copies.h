//===- copies.h - Moving memory without libc and without a stack ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/syscall.h"

namespace pagetide {

/// Copies from the first byte on.
inline void CopyUpwards(void *to, const void *from, uptr bytes);
/// Copies from the last byte on.
inline void CopyDownwards(void *to, const void *from, uptr bytes);
inline void Fill(void *to, int c, uptr bytes);

} // namespace pagetide

#include "arch/x86_64/copies.h" // IWYU pragma: export
