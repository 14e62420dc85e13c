//===- checkpoint_writer.h - Writes one checkpoint ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "store/block_packer.h"
#include "store/file.h"
#include "store/folder.h"

#include <cstdint>
#include <ctime>
#include <span>

namespace pagetide::checkpoint {

/// Random, for a checkpoint that nobody has made yet.
Id new_id();

/// The clock's time in nanoseconds.
std::uint64_t clock_ns(clockid_t clock);

/// Writes the data file, and then the manifest. Its memory is a few blocks and
/// the manifest. Unless commit() is called, nothing of it stays.
class CheckpointWriter {
public:
  enum class Sync { kYes, kNo };

  /// `manifest` has all but extents and blocks.
  CheckpointWriter(const Folder &folder, Manifest manifest, int compression,
                   Sync sync);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;

  /// Takes what the checkpoint holds.
  BlockPacker &blocks() { return packer_; }
  /// Bytes of a region. It is an index into the manifest's regions.
  void add(std::uint32_t region, std::uint64_t offset,
           std::span<const std::uint8_t> bytes) {
    packer_.add(region, offset, bytes);
  }

  /// Gives the checkpoint its name. From then on it exists.
  void commit();

  const Manifest &manifest() const { return packer_.manifest(); }
  std::uint64_t file_bytes() const { return file_bytes_; }

private:
  void put(std::span<const std::uint8_t> bytes);
  void flush();

  Folder folder_;
  Sync sync_;
  File data_;
  std::string unfinished_;
  Bytes out_; ///< not yet written
  std::uint64_t file_bytes_ = 0;
  bool is_committed_ = false;
  BlockPacker packer_; ///< puts into out_
};

} // namespace pagetide::checkpoint
