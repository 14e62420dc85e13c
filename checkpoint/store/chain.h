//===- chain.h - A checkpoint, its parents, and where its bytes are -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "store/block_codec.h"
#include "store/file.h"
#include "store/folder.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pagetide::checkpoint {

/// Bytes of a block that are part of the checkpoint.
struct Piece {
  std::uint32_t region = 0;     ///< index into the newest manifest's regions
  std::uint64_t offset = 0;     ///< in the region
  std::uint32_t raw_offset = 0; ///< in the block
  std::uint32_t bytes = 0;
};

/// A block of which a checkpoint needs something.
struct NeededBlock {
  std::uint32_t member = 0; ///< index into Chain::members()
  std::uint32_t block = 0;  ///< index into its blocks
  std::size_t first_piece = 0;
  std::uint32_t piece_count = 0;
};

/// A checkpoint with all its parents. Their data files stay open, so that
/// nobody can take them away.
class Chain {
public:
  /// Throws Error: kNone, kDamaged (names the file), kVersion, kIo.
  static Chain load(const Folder &folder, std::uint64_t number);
  /// Of checkpoints that are in no folder, the newest first. Each but the last
  /// is an increment to the one that follows. Throws kDamaged.
  static Chain of(std::vector<Manifest> members, std::vector<File> data);

  /// The checkpoint first, its base last.
  const std::vector<Manifest> &members() const { return members_; }
  const Manifest &newest() const { return members_.front(); }
  const File &data(std::uint32_t member) const { return files_[member]; }

  /// In the order in which the files have them.
  const std::vector<NeededBlock> &needed() const { return needed_; }
  std::span<const Piece> pieces(const NeededBlock &needed) const {
    return {pieces_.data() + needed.first_piece, needed.piece_count};
  }
  const Block &block(const NeededBlock &needed) const {
    return members_[needed.member].blocks[needed.block];
  }
  /// Of all needed blocks, as the files have them.
  std::uint64_t needed_bytes() const;

  /// Verifies the needed blocks as the files have them. `progress` is told the
  /// bytes of each. Throws kDamaged.
  void verify(BlockDecoder &decoder,
              const std::function<void(std::uint64_t)> &progress = {}) const;

  /// Passes each piece with its bytes, verified. Throws kDamaged.
  using Take =
      std::function<void(const Piece &, std::span<const std::uint8_t>)>;
  void read(BlockDecoder &decoder, const Take &take) const;

  /// The same on all processors: `take` is called on several threads at a time.
  /// The second one is for blocks that the first one has verified as the files
  /// have them. It verifies what they hold.
  void verify_in_parallel() const;
  void read_in_parallel(const Take &take) const;

private:
  void load_members(const Folder &folder, std::uint64_t number);
  void open_files(const Folder &folder);
  void find_needed();

  std::vector<Manifest> members_;
  std::vector<File> files_;
  std::vector<NeededBlock> needed_;
  std::vector<Piece> pieces_;
};

/// The newest checkpoint at or below `from` that can be restored, all of it
/// verified; 0 if there is none. `program` empty: of any program.
std::uint64_t last_good(const Folder &folder, std::uint64_t from,
                        const std::string &program);

} // namespace pagetide::checkpoint
