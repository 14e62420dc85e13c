//===- block_packer.h - Bytes of regions become blocks --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "store/block_codec.h"

#include <cstdint>
#include <functional>
#include <span>

namespace pagetide::checkpoint {

/// Divides what it is given into blocks, and lists them in a manifest. Its
/// memory is a block and the manifest.
class BlockPacker {
public:
  /// Gets each block as a data file has it.
  using Put = std::function<void(std::span<const std::uint8_t> stored)>;

  /// `head` has all but extents and blocks.
  BlockPacker(Manifest head, int compression, Put put);

  /// Bytes of a region. It is an index into the manifest's regions.
  void add(std::uint32_t region, std::uint64_t offset,
           std::span<const std::uint8_t> bytes);
  /// A block of another file, as that file has it.
  void add_stored(const Block &block, std::span<const Extent> extents,
                  std::span<const std::uint8_t> stored);
  /// Puts the last block.
  void finish();

  const Manifest &manifest() const { return manifest_; }

private:
  void note(const Block &block, std::span<const std::uint8_t> stored);

  Manifest manifest_;
  BlockEncoder encoder_;
  Put put_;
  Bytes raw_; ///< of the block that is being filled
  Block open_block_;
  std::uint64_t file_offset_;
};

} // namespace pagetide::checkpoint
