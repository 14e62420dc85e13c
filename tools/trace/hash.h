//===- hash.h - XXH3-64, as trace_format.h uses it ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/trace_format.h"

#include <cstddef>
#include <cstdint>

namespace pagetide::tools {

/// XXH3-64 of the bytes.
std::uint64_t hash_bytes(const void *data, std::size_t bytes,
                         std::uint64_t seed = 0);

/// The hash a file header has to carry.
std::uint64_t header_hash(const trace::FileHeader &header);

/// The hash that the frame's header has to carry for this stored payload.
std::uint64_t frame_hash(const trace::FrameHeader &header, const void *payload);

/// What one stable granule adds to its period's combined checksum.
std::uint64_t combined_term(std::uint64_t address, std::uint64_t checksum);

} // namespace pagetide::tools
