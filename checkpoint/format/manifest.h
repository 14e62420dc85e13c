//===- manifest.h - What a checkpoint is made of --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/checkpoint_format.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::checkpoint {

using Bytes = std::vector<std::uint8_t>;
using Id = std::array<std::uint8_t, kIdBytes>;

struct Region {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
};

/// Bytes of one region.
struct Extent {
  std::uint32_t region = 0; ///< index into Manifest::regions
  std::uint64_t offset = 0; ///< in the region
  std::uint64_t bytes = 0;
};

struct Block {
  std::size_t first_extent = 0; ///< index into Manifest::extents
  std::uint32_t extent_count = 0;
  std::uint32_t raw_bytes = 0; ///< of its extents together
  std::uint32_t stored_bytes = 0;
  Codec codec = Codec::kRaw;
  std::uint64_t file_offset = 0; ///< in the data file
  std::uint64_t stored_hash = 0;
  std::uint64_t raw_hash = 0;
};

struct Manifest {
  std::uint64_t number = 0;
  Id id = {};
  std::uint64_t parent = 0; ///< 0: this is a base
  Id parent_id = {};
  std::uint64_t generation = 0;
  std::uint64_t time_ns = 0;
  std::string program;
  std::uint64_t flags = 0; ///< CheckpointFlags
  std::uint64_t granule = 0;
  std::vector<Region> regions; ///< sorted by id
  std::vector<Extent> extents;
  std::vector<Block> blocks;

  bool is_base() const { return parent == 0; }
  std::span<const Extent> extents_of(const Block &block) const {
    return {extents.data() + block.first_extent, block.extent_count};
  }
  /// The index of the region; none if there is no such id.
  std::optional<std::uint32_t> region_index(std::uint64_t id) const;
  /// Of all regions.
  std::uint64_t region_bytes() const;
  /// Of all extents.
  std::uint64_t raw_bytes() const;
  /// What the data file has, header included.
  std::uint64_t data_bytes() const;
  /// Whether a block has the codec.
  bool has(Codec codec) const;
};

/// The manifest as a file. Throws Error if it would be too large.
Bytes encode(const Manifest &manifest);

/// Reads a file's bytes, and trusts none of them. `name` is the file's, for
/// messages. Throws Error (kDamaged, kVersion).
Manifest decode(std::span<const std::uint8_t> file, const std::string &name);

/// The head of a data file.
DataHeader data_header(const Manifest &manifest);

} // namespace pagetide::checkpoint
