//===- libc_sizes.h - Sizes of structures that calls fill in --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

// The headers that have these structures declare functions that interceptors
// define otherwise. So the sizes are written here, and libc_sizes.cpp does not
// compile if a header says otherwise.
constexpr uptr kStatBytes = 144, kStatxBytes = 256; ///< stat, statx
constexpr uptr kStatfsBytes = 120, kStatvfsBytes = 112;
constexpr uptr kActionBytes = 152; ///< sigaction
constexpr uptr kSiginfoBytes = 128;
constexpr uptr kRusageBytes = 144;
constexpr uptr kTmBytes = 56;
constexpr uptr kRegexBytes = 64, kMatchBytes = 8; ///< regex_t, regmatch_t
// ucontext_t: registers, the signal mask, and a part of the floating-point
// state.
constexpr uptr kLinkAt = 8, kStackAt = 16, kRegistersAt = 40, kMaskAt = 296,
               kFloatingAt = 424;

} // namespace pagetide
