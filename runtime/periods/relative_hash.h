//===- relative_hash.h - Hashes that do not depend on where memory lies ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two runs with random addresses have equal pages but for the words that hold
// addresses, and for what the kernel draws at random. Option checksum_relative
// adds a second hash to each checksum. It is taken after each such word has
// been replaced by one that is the same in both runs.

#pragma once

#include "platform/proc_maps.h"

namespace pagetide {

/// Where words may point from now on. To be called before pages are hashed.
void SetRelativeMappings(const MappingList &mappings);
/// Whether that was called, and so second hashes are wanted.
bool HasRelativeMappings();

/// Goes on hashing with the granule's next bytes, which lie at `address` in the
/// program. The first call has hash 0. All calls but the last have a multiple
/// of 4096 bytes.
u64 RelativeHash(u64 hash, u64 address, const u8 *bytes, uptr count);

} // namespace pagetide
