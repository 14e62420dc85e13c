//===- block_codec.h - Blocks as files have them --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "store/file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace pagetide::checkpoint {

/// Compresses blocks. Its memory is bounded by kMaxBlockBytes.
class BlockEncoder {
public:
  /// Instead of a level of zstd; as in the API.
  static constexpr int kNoCompression = -1;
  static constexpr int kLz4 = -2;

  /// Throws std::bad_alloc.
  explicit BlockEncoder(int compression);

  /// Sets all fields of `block` that the content decides. The result is what
  /// the file gets; it is valid until the next call, or as long as `raw`.
  std::span<const std::uint8_t> encode(std::span<const std::uint8_t> raw,
                                       Block &block);

private:
  /// Puts the compressed bytes into stored_. Returns how many; 0: not fewer.
  std::size_t compress(std::span<const std::uint8_t> raw);

  struct Free {
    void operator()(ZSTD_CCtx_s *context) const;
  };
  int compression_;
  std::unique_ptr<ZSTD_CCtx_s, Free> zstd_; ///< null if it is not used
  std::vector<std::uint64_t> lz4_;          ///< its state, aligned
  Bytes stored_;
};

/// Reads blocks, and verifies them.
class BlockDecoder {
public:
  BlockDecoder();

  /// The block's bytes as the file has them, if their hash is right. Throws
  /// kDamaged with the file's name. Valid until the next call.
  std::span<const std::uint8_t> stored(const File &file, const Block &block);
  /// What the block holds, verified. Valid until the next call.
  std::span<const std::uint8_t> raw(const File &file, const Block &block);
  /// The same of a block whose bytes in the file are known to be right: what
  /// it holds is verified, and they are not verified again.
  std::span<const std::uint8_t> content(const File &file, const Block &block);

private:
  std::span<const std::uint8_t> read(const File &file, const Block &block);
  std::span<const std::uint8_t>
  unpacked(const File &file, const Block &block,
           std::span<const std::uint8_t> bytes_of_file);

  struct Free {
    void operator()(ZSTD_DCtx_s *context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> zstd_;
  Bytes stored_;
  Bytes raw_;
};

/// Opens the manifest's data file, and checks head and size. Throws FileGone,
/// kDamaged.
File open_data(const std::string &path, const Manifest &manifest);

} // namespace pagetide::checkpoint
