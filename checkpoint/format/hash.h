//===- hash.h - XXH3-64 of bytes ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>

namespace pagetide::checkpoint {

std::uint64_t hash_of(const void *data, std::size_t bytes);

} // namespace pagetide::checkpoint
