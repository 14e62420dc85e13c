//===- wide_hash.h - XXH3 by the widest vectors that pay ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// XXH3-64, twice as fast as by the vectors of every x86-64 (SSE2). AVX-512 was
/// no faster when measured on pages of 4 KiB. For processors that have AVX2.
u64 HashByAvx2(const u8 *p, uptr bytes);

} // namespace pagetide
