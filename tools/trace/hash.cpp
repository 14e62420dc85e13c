//===- hash.cpp - XXH3-64, as trace_format.h uses it ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pagetide::tools {

std::uint64_t hash_bytes(const void *data, std::size_t bytes,
                         std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::uint64_t header_hash(const trace::FileHeader &header) {
  return hash_bytes(&header, offsetof(trace::FileHeader, hash));
}

std::uint64_t frame_hash(const trace::FrameHeader &header,
                         const void *payload) {
  return hash_bytes(payload, header.stored_bytes, trace::frame_seed(header));
}

std::uint64_t combined_term(std::uint64_t address, std::uint64_t checksum) {
  const trace::CombinedInput input = {address, checksum};
  return hash_bytes(&input, sizeof(input));
}

} // namespace pagetide::tools
