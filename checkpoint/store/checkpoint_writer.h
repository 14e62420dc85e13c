//===- checkpoint_writer.h - Writes one checkpoint ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_CHECKPOINT_STORE_CHECKPOINT_WRITER_H
#define PAGETIDE_CHECKPOINT_STORE_CHECKPOINT_WRITER_H

#include "format/manifest.h"
#include "store/block_codec.h"
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
  CheckpointWriter(const Folder &folder, Manifest manifest, int level,
                   Sync sync);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;

  /// Bytes of a region. It is an index into the manifest's regions.
  void add(std::uint32_t region, std::uint64_t offset,
           std::span<const std::uint8_t> bytes);
  /// A block of another file, as that file has it.
  void add_stored(const Block &block, std::span<const Extent> extents,
                  std::span<const std::uint8_t> stored);

  /// Gives the checkpoint its name. From then on it exists.
  void commit();

  const Manifest &manifest() const { return manifest_; }
  std::uint64_t file_bytes() const { return file_bytes_; }

private:
  void finish_block();
  void put(std::span<const std::uint8_t> bytes);
  void flush();

  Folder folder_;
  Manifest manifest_;
  Sync sync_;
  BlockEncoder encoder_;
  File data_;
  std::string unfinished_;
  Bytes raw_; ///< of the block that is being filled
  Block open_block_;
  Bytes out_; ///< not yet written
  std::uint64_t file_offset_ = 0;
  std::uint64_t file_bytes_ = 0;
  bool is_committed_ = false;
};

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_STORE_CHECKPOINT_WRITER_H
