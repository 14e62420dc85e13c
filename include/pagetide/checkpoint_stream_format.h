//===- checkpoint_stream_format.h - Streamed checkpoints, version 1 -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint on its way through a pipe, a socket or a file.
// docs/reference/checkpoint-format.md describes the same format; keep both in
// step.
//
//   stream := StreamHeader round* end
//   round  := kBlock* kRound
//   end    := kEnd | kGaveUp
//
// A round is a checkpoint as a folder has it (checkpoint_format.h): its blocks
// in their order, and then its manifest. The first is a base, and each later
// one an increment to the one before. The checkpoint that the stream carries is
// the last one. Those before it are of no instant, and must not be restored.
//
// Every frame is a FrameHeader and a payload. A frame's hash covers that of the
// frame before it, so frames are known to be whole, in order, and all of one
// stream.

#ifndef PAGETIDE_CHECKPOINT_STREAM_FORMAT_H
#define PAGETIDE_CHECKPOINT_STREAM_FORMAT_H

#include "pagetide/checkpoint_format.h"

#include <cstddef>
#include <cstdint>

namespace pagetide::checkpoint {

inline constexpr std::uint8_t kStreamMagic[8] = {'P', 'G', 'T',  'C',
                                                 'K', 'S', '\r', '\n'};
/// A reader refuses others.
inline constexpr std::uint16_t kStreamVersionMajor = 1;
/// Later minors only add fields to StreamEnd.
inline constexpr std::uint16_t kStreamVersionMinor = 0;

struct StreamHeader {
  std::uint8_t magic[8];
  std::uint16_t version_major;
  std::uint16_t version_minor;
  std::uint32_t header_bytes; ///< 40; the first frame starts here
  std::uint8_t id[kIdBytes];  ///< random
  std::uint64_t hash;         ///< XXH3-64 of the bytes before this field
};
static_assert(sizeof(StreamHeader) == 40);

enum class FrameKind : std::uint32_t {
  kBlock = 1,  ///< a block as a data file has it
  kRound = 2,  ///< the manifest of the blocks since the last one
  kEnd = 3,    ///< StreamEnd
  kGaveUp = 4, ///< English: why the sender could not go on
};

struct FrameHeader {
  std::uint32_t kind; ///< FrameKind
  std::uint32_t zero;
  std::uint64_t bytes;        ///< of the payload, which follows
  std::uint64_t payload_hash; ///< XXH3-64
  /// XXH3-64 of the hash of the frame or StreamHeader before, and the bytes
  /// before this field.
  std::uint64_t hash;
};
static_assert(sizeof(FrameHeader) == 32);

/// Why the rounds came to an end.
enum class RoundsEnd : std::uint64_t {
  kNone = 0,         ///< one round was enough
  kSmall = 1,        ///< little enough had changed
  kNotShrinking = 2, ///< as much changes in a round as it takes to send it
  kMaxRounds = 3,
  kTime = 4,
};

/// What the sender tells of its work, and that it is complete.
struct StreamEnd {
  std::uint64_t rounds;
  std::uint64_t pause_ns; ///< for which threads stood, or updates waited
  std::uint64_t why;      ///< RoundsEnd
};
static_assert(sizeof(StreamEnd) == 24);

/// Of the text of kGaveUp.
inline constexpr std::size_t kMaxReasonBytes = 1000;

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_STREAM_FORMAT_H
