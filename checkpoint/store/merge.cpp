//===- merge.cpp - A chain becomes one checkpoint -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "store/merge.h"

#include <vector>

namespace pagetide::checkpoint {

namespace {

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

void merge(const Chain &chain, BlockPacker &out, const MergeProgress &tell) {
  BlockDecoder decoder;
  const std::uint64_t total = chain.needed_bytes();
  std::uint64_t done = 0;
  for (const NeededBlock &needed : chain.needed()) {
    copy_block(chain, needed, decoder, out);
    done += chain.block(needed).stored_bytes;
    if (tell)
      tell(done, total);
  }
}

} // namespace pagetide::checkpoint
