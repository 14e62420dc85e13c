//===- block_packer.cpp - Bytes of regions become blocks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/block_packer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pagetide::checkpoint {

BlockPacker::BlockPacker(Manifest head, int compression, Put put)
    : manifest_(std::move(head)), encoder_(compression), put_(std::move(put)),
      file_offset_(sizeof(DataHeader)) {}

void BlockPacker::add(std::uint32_t region, std::uint64_t offset,
                      std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t now =
        std::min(bytes.size(), std::size_t{kBlockBytes} - raw_.size());
    if (raw_.empty()) {
      open_block_ = Block();
      open_block_.first_extent = manifest_.extents.size();
    }
    Extent *last = raw_.empty() ? nullptr : &manifest_.extents.back();
    if (last && last->region == region &&
        last->offset + last->bytes == offset) {
      last->bytes += now;
    } else {
      manifest_.extents.push_back({region, offset, now});
      ++open_block_.extent_count;
    }
    raw_.insert(raw_.end(), bytes.begin(),
                bytes.begin() + static_cast<std::ptrdiff_t>(now));
    bytes = bytes.subspan(now);
    offset += now;
    if (raw_.size() == kBlockBytes)
      finish();
  }
}

void BlockPacker::finish() {
  if (raw_.empty())
    return;
  const auto stored = encoder_.encode(raw_, open_block_);
  note(open_block_, stored);
  raw_.clear();
}

void BlockPacker::add_stored(const Block &block,
                             std::span<const Extent> extents,
                             std::span<const std::uint8_t> stored) {
  finish();
  Block copy = block;
  copy.first_extent = manifest_.extents.size();
  manifest_.extents.insert(manifest_.extents.end(), extents.begin(),
                           extents.end());
  note(copy, stored);
}

void BlockPacker::note(const Block &block,
                       std::span<const std::uint8_t> stored) {
  manifest_.blocks.push_back(block);
  manifest_.blocks.back().file_offset = file_offset_;
  file_offset_ += stored.size();
  put_(stored);
}

} // namespace pagetide::checkpoint
