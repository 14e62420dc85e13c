//===- wide_hash.cpp - XXH3 by the widest vectors that pay ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file is compiled for processors with AVX2. What it includes must not
// define functions that other files may share.

#include "periods/wide_hash.h"

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace pagetide {

u64 HashByAvx2(const u8 *p, uptr bytes) { return XXH3_64bits(p, bytes); }

} // namespace pagetide
