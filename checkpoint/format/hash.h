//===- hash.h - XXH3-64 of bytes ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_CHECKPOINT_FORMAT_HASH_H
#define PAGETIDE_CHECKPOINT_FORMAT_HASH_H

#include <cstddef>
#include <cstdint>

namespace pagetide::checkpoint {

std::uint64_t hash_of(const void *data, std::size_t bytes);

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_FORMAT_HASH_H
