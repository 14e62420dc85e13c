//===- sample_folder.h - A folder of checkpoints of known content ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "store/chain.h"
#include "store/checkpoint_writer.h"
#include "store/folder.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pagetide::checkpoint {

/// Content of all regions, by their ids.
using Memory = std::map<std::uint64_t, Bytes>;

/// Bytes that neither repeat nor are random alone, so that some blocks compress
/// and others do not.
inline Bytes sample_bytes(std::size_t count, std::uint32_t seed) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    bytes[i] = static_cast<std::uint8_t>(i / 64 % 2 ? seed >> 24 : i / 128);
  }
  return bytes;
}

/// How blocks of tests are compressed: level 1 of zstd, and LZ4.
inline constexpr int kCompressions[] = {1, BlockEncoder::kLz4};

inline const char *compression_name(int compression) {
  return compression == BlockEncoder::kLz4 ? "lz4" : "zstd";
}

class SampleFolder {
public:
  explicit SampleFolder(int compression = 1) : compression(compression) {
    std::string path = std::filesystem::temp_directory_path() / "ckptXXXXXX";
    folder_path_ = ::mkdtemp(path.data());
  }
  ~SampleFolder() { std::filesystem::remove_all(folder_path_); }
  SampleFolder(const SampleFolder &) = delete;

  Folder folder() const { return Folder(folder_path_); }
  const std::string &path() const { return folder_path_; }

  /// What is to be saved; change it between saves.
  Memory memory;
  /// So may this.
  int compression;

  /// Bytes of a region that a save takes.
  struct Range {
    std::uint64_t region;
    std::size_t begin, end;
  };

  /// Saves these ranges as an increment to `parent`; 0: all, as a base. Returns
  /// the number, and notes the content.
  std::uint64_t save(std::uint64_t parent,
                     const std::vector<Range> &ranges = {},
                     const std::string &program = "sample") {
    Manifest manifest;
    manifest.number = folder().next_number();
    manifest.id = new_id();
    manifest.parent = parent;
    if (parent != 0)
      manifest.parent_id = folder().manifest(parent).id;
    manifest.time_ns = 1;
    manifest.program = program;
    manifest.granule = 64;
    for (const auto &[id, bytes] : memory)
      manifest.regions.push_back({id, bytes.size()});
    CheckpointWriter writer(folder(), manifest, compression,
                            CheckpointWriter::Sync::kNo);
    std::vector<Range> all = ranges;
    if (parent == 0)
      for (const auto &[id, bytes] : memory)
        all.push_back({id, 0, bytes.size()});
    for (const Range &range : all)
      writer.add(*manifest.region_index(range.region), range.begin,
                 std::span(memory[range.region])
                     .subspan(range.begin, range.end - range.begin));
    writer.commit();
    saved[manifest.number] = memory;
    return manifest.number;
  }

  /// The content of every checkpoint.
  std::map<std::uint64_t, Memory> saved;

  /// What a restore gives. Throws Error.
  Memory restored(std::uint64_t number) const {
    const Chain chain = Chain::load(folder(), number);
    chain.verify_in_parallel();
    return content_of(chain);
  }

  /// What a chain that was verified holds. Throws Error.
  static Memory content_of(const Chain &chain) {
    Memory out;
    for (const Region &region : chain.newest().regions)
      out[region.id] = Bytes(region.bytes, 0xee);
    chain.read_in_parallel(
        [&](const Piece &piece, std::span<const std::uint8_t> bytes) {
          Bytes &to = out.at(chain.newest().regions[piece.region].id);
          std::copy(bytes.begin(), bytes.end(),
                    to.begin() + static_cast<std::ptrdiff_t>(piece.offset));
        });
    return out;
  }

  /// Three checkpoints: a base and two increments, of two regions.
  void make_chain() {
    memory[1] = sample_bytes(1000, 1);
    memory[5] = sample_bytes(300, 2);
    save(0);
    change(1, 100, 200);
    save(1, {{1, 100, 200}});
    change(1, 150, 300);
    change(5, 0, 64);
    save(2, {{1, 150, 300}, {5, 0, 64}});
  }

  void change(std::uint64_t region, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      memory[region][i] ^= static_cast<std::uint8_t>(0x40 + i % 7);
  }

private:
  std::string folder_path_;
};

} // namespace pagetide::checkpoint
