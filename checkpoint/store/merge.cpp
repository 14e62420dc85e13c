//===- merge.cpp - A chain becomes one checkpoint -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/merge.h"

#include <vector>

namespace pagetide::checkpoint {

namespace {

/// A call for each block would take longer than it is worth.
constexpr std::uint64_t kGiveBackBytes = 1u << 20;

/// Gives back what was read of a chain's files. Blocks are read member by
/// member, and in the order in which a file has them. So nothing before the
/// last one is needed any more.
class UsedUp {
public:
  explicit UsedUp(const Chain &chain) : chain_(chain) {}

  void note(const NeededBlock &read) {
    for (; member_ < read.member; ++member_) {
      chain_.data(member_).give_back(chain_.data(member_).size());
      given_back_ = 0;
    }
    const Block &block = chain_.block(read);
    const std::uint64_t end = block.file_offset + block.stored_bytes;
    if (end - given_back_ < kGiveBackBytes)
      return;
    chain_.data(member_).give_back(end);
    given_back_ = end;
  }

private:
  const Chain &chain_;
  std::uint32_t member_ = 0;
  std::uint64_t given_back_ = 0; ///< of this member's file
};

/// Whether the checkpoint needs every byte of the block.
bool is_whole(const Chain &chain, const NeededBlock &needed) {
  std::uint64_t bytes = 0;
  for (const Piece &piece : chain.pieces(needed))
    bytes += piece.bytes;
  return bytes == chain.block(needed).raw_bytes;
}

void copy_block(const Chain &chain, const NeededBlock &needed,
                BlockDecoder &decoder, BlockPacker &out) {
  const Block &block = chain.block(needed);
  const File &data = chain.data(needed.member);
  // Verified down to its content either way.
  const auto raw = decoder.raw(data, block);
  if (!is_whole(chain, needed)) {
    for (const Piece &piece : chain.pieces(needed))
      out.add(piece.region, piece.offset,
              raw.subspan(piece.raw_offset, piece.bytes));
    return;
  }
  std::vector<Extent> extents;
  for (const Piece &piece : chain.pieces(needed))
    extents.push_back({piece.region, piece.offset, piece.bytes});
  out.add_stored(block, extents, decoder.stored(data, block));
}

} // namespace

int compression_like(const Chain &chain) {
  constexpr int kLevel = 3;
  for (const Manifest &member : chain.members()) {
    if (member.has(Codec::kLz4))
      return BlockEncoder::kLz4;
    if (member.has(Codec::kZstd))
      break;
  }
  return kLevel;
}

void merge(const Chain &chain, Source source, BlockPacker &out,
           const MergeProgress &tell) {
  BlockDecoder decoder;
  UsedUp used_up(chain);
  const std::uint64_t total = chain.needed_bytes();
  std::uint64_t done = 0;
  for (const NeededBlock &needed : chain.needed()) {
    copy_block(chain, needed, decoder, out);
    if (source == Source::kIsUsedUp)
      used_up.note(needed);
    done += chain.block(needed).stored_bytes;
    if (tell)
      tell(done, total);
  }
}

} // namespace pagetide::checkpoint
