//===- syscall.h - One system call ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "sanitizer_common/sanitizer_internal_defs.h"

namespace pagetide {

using __sanitizer::s32;
using __sanitizer::s64;
using __sanitizer::sptr;
using __sanitizer::u16;
using __sanitizer::u32;
using __sanitizer::u64;
using __sanitizer::u8;
using __sanitizer::uptr;

/// One system call. A result above -4096 (as unsigned) is minus an errno.
inline uptr Syscall(long number, uptr a = 0, uptr b = 0, uptr c = 0, uptr d = 0,
                    uptr e = 0, uptr f = 0);

} // namespace pagetide

#include "arch/x86_64/syscall.h" // IWYU pragma: export
