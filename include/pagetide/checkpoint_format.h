//===- checkpoint_format.h - Checkpoint folders, versions 1 and 2 ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of checkpoints. libpagetide-checkpoint writes and reads them, and
// so does `pagetide checkpoint`. docs/reference/checkpoint-format.md describes
// the same format; keep both in step.
//
// A folder holds the checkpoints of one program:
//
//   checkpoint-NNNNNNNN     a manifest: what checkpoint N is made of
//   data-NNNNNNNN-G         its blocks, generation G
//   *.tmp                   a manifest that is not complete
//   writer.lock             locked (flock) by the program that saves
//   upkeep.lock             locked by whoever removes files
//
// Numbers are decimal, of eight digits or more, from 1 on. They only grow. A
// checkpoint exists once its manifest has its name: the manifest is written
// last, and renamed. Data without a manifest is what a killed writer left.
//
// A base holds all bytes of all regions. An increment names its parent, and
// holds what may have changed since. A checkpoint's content is its own blocks
// and, where they have nothing, its parent's content.
//
//   manifest := ManifestHeader body
//   data     := DataHeader stored*
//
// All integers are little-endian; `varint`, `string` and u64 are those of
// trace_format.h.

#ifndef PAGETIDE_CHECKPOINT_FORMAT_H
#define PAGETIDE_CHECKPOINT_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace pagetide::checkpoint {

inline constexpr std::uint8_t kManifestMagic[8] = {'P', 'G', 'T',  'C',
                                                   'K', 'M', '\r', '\n'};
inline constexpr std::uint8_t kDataMagic[8] = {'P', 'G', 'T',  'C',
                                               'K', 'D', '\r', '\n'};
inline constexpr std::uint16_t kVersionMajor = 1; ///< a reader refuses others
inline constexpr std::uint16_t kVersionMinor = 0; ///< later minors only add
/// Of a manifest with blocks of Codec::kLz4, which readers of version 1 do not
/// know. All else is as in version 1. Data files have version 1 always: it is
/// the manifest that says what their blocks are.
inline constexpr std::uint16_t kVersionMajorLz4 = 2;

inline constexpr std::size_t kIdBytes = 16;

struct ManifestHeader {
  std::uint8_t magic[8];
  std::uint16_t version_major;
  std::uint16_t version_minor;
  std::uint32_t header_bytes; ///< 40; the body starts here
  std::uint64_t body_bytes;   ///< the file ends after them
  std::uint64_t body_hash;    ///< XXH3-64 of the body
  std::uint64_t hash;         ///< XXH3-64 of the bytes before this field
};
static_assert(sizeof(ManifestHeader) == 40);

// Body := varint number
//         u8 id[kIdBytes]         random; stays when a base replaces it
//         varint parent           number; 0: this is a base
//         u8 parent_id[kIdBytes]  only if parent is not 0
//         varint generation       of the data file
//         varint time             CLOCK_REALTIME, nanoseconds
//         string program          who may restore it
//         varint flags            CheckpointFlags
//         varint granule          bytes by which changes are known
//         varint regions, { varint id, varint bytes }*      sorted by id
//         varint blocks, block*   in the order of the data file
// block := varint extents, { varint region, varint offset, varint bytes }*
//          u8 codec               Codec
//          varint stored_bytes
//          u64 stored_hash        XXH3-64 of the bytes in the data file
//          u64 raw_hash           XXH3-64 of the extents' bytes, in this order
//
// `region` is an index into the list of regions, `offset` is from the region's
// start. Extents of one manifest do not overlap. Bytes that follow the blocks
// belong to later minor versions.

enum CheckpointFlags : std::uint64_t {
  /// Written whole because the marks could not tell what had changed.
  kUntracked = 1,
  /// `pagetide checkpoint compact` made it of a chain.
  kCompacted = 2,
  /// It came in a stream (checkpoint_stream_format.h).
  kStreamed = 4,
};

enum class Codec : std::uint8_t {
  kRaw = 0,
  kZstd = 1,
  kLz4 = 2, ///< LZ4's block format, without a frame
};

struct DataHeader {
  std::uint8_t magic[8];
  std::uint16_t version_major;
  std::uint16_t version_minor;
  std::uint32_t header_bytes; ///< 56; the first block starts here
  std::uint64_t number;
  std::uint64_t generation;
  std::uint8_t id[kIdBytes]; ///< as in the manifest
  std::uint64_t hash;        ///< XXH3-64 of the bytes before this field
};
static_assert(sizeof(DataHeader) == 56);

/// The most bytes of a block, raw and stored. This limits a reader's memory.
inline constexpr std::uint32_t kMaxBlockBytes = 1u << 20;
/// What a writer puts into one block.
inline constexpr std::uint32_t kBlockBytes = 256u << 10;
inline constexpr std::uint64_t kMaxManifestBytes = 256u << 20;
inline constexpr std::uint64_t kMaxRegions = 65536;
inline constexpr std::uint64_t kMaxProgramBytes = 255;
/// Manifests from a checkpoint to its base, both counted.
inline constexpr std::size_t kMaxChain = 256;
/// Above this, a writer saves a region whole rather than run by run.
inline constexpr std::size_t kMaxRuns = 2u << 20;

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_FORMAT_H
