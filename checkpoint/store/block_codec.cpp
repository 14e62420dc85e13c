//===- block_codec.cpp - Blocks as files have them ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/block_codec.h"

#include "format/error.h"
#include "format/hash.h"

#include <fcntl.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <new>

namespace pagetide::checkpoint {

namespace {

[[noreturn]] void fail_block(const File &file, const Block &block) {
  throw Error(Problem::kDamaged,
              file.path() + ": is damaged: bytes " +
                  std::to_string(block.file_offset) + " to " +
                  std::to_string(block.file_offset + block.stored_bytes - 1) +
                  " are not as they were written");
}

/// Whether the bytes hold exactly what fills `raw`. Neither reads nor writes
/// beyond them, whatever they are.
bool decompress(ZSTD_DCtx *zstd, Codec codec,
                std::span<const std::uint8_t> stored,
                std::span<std::uint8_t> raw) {
  if (codec == Codec::kLz4) {
    const int bytes = LZ4_decompress_safe(
        reinterpret_cast<const char *>(stored.data()),
        reinterpret_cast<char *>(raw.data()), static_cast<int>(stored.size()),
        static_cast<int>(raw.size()));
    return bytes >= 0 && static_cast<std::size_t>(bytes) == raw.size();
  }
  const std::size_t bytes = ZSTD_decompressDCtx(zstd, raw.data(), raw.size(),
                                                stored.data(), stored.size());
  return !ZSTD_isError(bytes) && bytes == raw.size();
}

} // namespace

void BlockEncoder::Free::operator()(ZSTD_CCtx_s *context) const {
  ZSTD_freeCCtx(context);
}

void BlockDecoder::Free::operator()(ZSTD_DCtx_s *context) const {
  ZSTD_freeDCtx(context);
}

BlockEncoder::BlockEncoder(int compression) : compression_(compression) {
  if (compression == kNoCompression)
    return;
  stored_.resize(kMaxBlockBytes);
  if (compression == kLz4) {
    const auto bytes = static_cast<std::size_t>(LZ4_sizeofState());
    lz4_.resize((bytes + sizeof(lz4_[0]) - 1) / sizeof(lz4_[0]));
    return;
  }
  zstd_.reset(ZSTD_createCCtx());
  if (!zstd_)
    throw std::bad_alloc();
}

std::size_t BlockEncoder::compress(std::span<const std::uint8_t> raw) {
  // No room for what would not be smaller: both then give up.
  const std::size_t room = raw.size() - 1;
  if (!lz4_.empty()) {
    // With a state of ours: LZ4's own is 16 KiB of the caller's stack.
    constexpr int kAcceleration = 1;
    return static_cast<std::size_t>(LZ4_compress_fast_extState(
        lz4_.data(), reinterpret_cast<const char *>(raw.data()),
        reinterpret_cast<char *>(stored_.data()), static_cast<int>(raw.size()),
        static_cast<int>(room), kAcceleration));
  }
  const std::size_t bytes = ZSTD_compressCCtx(
      zstd_.get(), stored_.data(), room, raw.data(), raw.size(), compression_);
  return ZSTD_isError(bytes) ? 0 : bytes;
}

std::span<const std::uint8_t>
BlockEncoder::encode(std::span<const std::uint8_t> raw, Block &block) {
  block.raw_bytes = static_cast<std::uint32_t>(raw.size());
  block.raw_hash = hash_of(raw.data(), raw.size());
  block.codec = Codec::kRaw;
  std::span<const std::uint8_t> out = raw;
  if (compression_ != kNoCompression) {
    if (const std::size_t stored = compress(raw); stored != 0) {
      block.codec = compression_ == kLz4 ? Codec::kLz4 : Codec::kZstd;
      out = std::span(stored_).first(stored);
    }
  }
  block.stored_bytes = static_cast<std::uint32_t>(out.size());
  block.stored_hash = block.codec == Codec::kRaw
                          ? block.raw_hash
                          : hash_of(out.data(), out.size());
  return out;
}

BlockDecoder::BlockDecoder() : zstd_(ZSTD_createDCtx()) {
  if (!zstd_)
    throw std::bad_alloc();
}

std::span<const std::uint8_t> BlockDecoder::read(const File &file,
                                                 const Block &block) {
  if (stored_.size() < block.stored_bytes)
    stored_.resize(block.stored_bytes);
  const auto out = std::span(stored_).first(block.stored_bytes);
  file.read_at(block.file_offset, out);
  return out;
}

std::span<const std::uint8_t> BlockDecoder::stored(const File &file,
                                                   const Block &block) {
  const auto out = read(file, block);
  if (hash_of(out.data(), out.size()) != block.stored_hash)
    fail_block(file, block);
  return out;
}

std::span<const std::uint8_t>
BlockDecoder::unpacked(const File &file, const Block &block,
                       std::span<const std::uint8_t> bytes_of_file) {
  if (block.codec == Codec::kRaw)
    return bytes_of_file;
  if (raw_.size() < block.raw_bytes)
    raw_.resize(block.raw_bytes);
  const auto raw = std::span(raw_).first(block.raw_bytes);
  if (!decompress(zstd_.get(), block.codec, bytes_of_file, raw))
    fail_block(file, block);
  return raw;
}

std::span<const std::uint8_t> BlockDecoder::content(const File &file,
                                                    const Block &block) {
  const auto out = unpacked(file, block, read(file, block));
  if (hash_of(out.data(), out.size()) != block.raw_hash)
    fail_block(file, block);
  return out;
}

std::span<const std::uint8_t> BlockDecoder::raw(const File &file,
                                                const Block &block) {
  const auto out = unpacked(file, block, stored(file, block));
  // Not compressed: it is what has just been verified.
  const bool is_same =
      block.codec == Codec::kRaw && block.raw_hash == block.stored_hash;
  if (!is_same && hash_of(out.data(), out.size()) != block.raw_hash)
    fail_block(file, block);
  return out;
}

File open_data(const std::string &path, const Manifest &manifest) {
  File file(path, O_RDONLY);
  DataHeader header = {};
  file.read_at(0, {reinterpret_cast<std::uint8_t *>(&header), sizeof(header)});
  const DataHeader want = data_header(manifest);
  // Another minor version may have written it.
  const bool is_ours =
      std::memcmp(header.magic, want.magic, sizeof(want.magic)) == 0 &&
      header.hash == hash_of(&header, offsetof(DataHeader, hash)) &&
      header.version_major == want.version_major &&
      header.header_bytes == want.header_bytes &&
      header.number == want.number && header.generation == want.generation &&
      std::memcmp(header.id, want.id, sizeof(want.id)) == 0;
  if (!is_ours)
    throw Error(Problem::kDamaged,
                path + ": is damaged: its head is not the one that its "
                       "manifest speaks of");
  if (file.size() != manifest.data_bytes())
    throw Error(Problem::kDamaged, path + ": is damaged: it has " +
                                       std::to_string(file.size()) +
                                       " bytes, and its manifest speaks of " +
                                       std::to_string(manifest.data_bytes()));
  return file;
}

} // namespace pagetide::checkpoint
