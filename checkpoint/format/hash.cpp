//===- hash.cpp - XXH3-64 of bytes ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "format/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagetide::checkpoint {

std::uint64_t hash_of(const void *data, std::size_t bytes) {
  return XXH3_64bits(data, bytes);
}

} // namespace pagetide::checkpoint
