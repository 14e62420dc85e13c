//===- stream_frames.cpp - Heads of a stream and of its frames ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "format/stream_frames.h"

#include "format/error.h"
#include "format/hash.h"

#include <cstring>

namespace pagetide::checkpoint {

namespace {

[[noreturn]] void fail(const std::string &name, const char *why) {
  throw Error(Problem::kDamaged, name + ": is damaged: " + why);
}

std::uint64_t hash_after(std::uint64_t before, const FrameHeader &header) {
  std::uint8_t bytes[sizeof(before) + offsetof(FrameHeader, hash)];
  std::memcpy(bytes, &before, sizeof(before));
  std::memcpy(bytes + sizeof(before), &header, offsetof(FrameHeader, hash));
  return hash_of(bytes, sizeof(bytes));
}

/// The most bytes that a payload of this kind has; 0: there is no such kind.
std::uint64_t most_bytes(std::uint32_t kind) {
  switch (static_cast<FrameKind>(kind)) {
  case FrameKind::kBlock:
    return kMaxBlockBytes;
  case FrameKind::kRound:
    return kMaxManifestBytes;
  case FrameKind::kEnd:
  case FrameKind::kGaveUp:
    return kMaxReasonBytes;
  }
  return 0;
}

} // namespace

StreamHeader stream_header(const Id &id) {
  StreamHeader header = {};
  std::memcpy(header.magic, kStreamMagic, sizeof(kStreamMagic));
  header.version_major = kStreamVersionMajor;
  header.version_minor = kStreamVersionMinor;
  header.header_bytes = sizeof(header);
  std::memcpy(header.id, id.data(), kIdBytes);
  header.hash = hash_of(&header, offsetof(StreamHeader, hash));
  return header;
}

FrameHeader frame_header(FrameKind kind, std::span<const std::uint8_t> payload,
                         std::uint64_t before) {
  FrameHeader header = {};
  header.kind = static_cast<std::uint32_t>(kind);
  header.bytes = payload.size();
  header.payload_hash = hash_of(payload.data(), payload.size());
  header.hash = hash_after(before, header);
  return header;
}

void check(const StreamHeader &header, const std::string &name) {
  if (std::memcmp(header.magic, kStreamMagic, sizeof(kStreamMagic)) != 0)
    throw Error(Problem::kDamaged,
                name + ": is no stream of a checkpoint: it does not begin as "
                       "one does");
  // A flipped bit in the version is damage, another version is not.
  const bool whole =
      header.hash == hash_of(&header, offsetof(StreamHeader, hash));
  if (whole && header.version_major != kStreamVersionMajor)
    throw Error(Problem::kVersion,
                name + ": has version " + std::to_string(header.version_major) +
                    " of the format of streams; this Pagetide reads version " +
                    std::to_string(kStreamVersionMajor) +
                    ". Use the Pagetide that wrote it.");
  if (!whole || header.header_bytes != sizeof(header))
    fail(name, "its head is not as it was written");
}

void check(const FrameHeader &header, std::uint64_t before,
           const std::string &name) {
  if (header.hash != hash_after(before, header))
    fail(name, "a frame is not as it was written, or not in its place");
  const std::uint64_t most = most_bytes(header.kind);
  if (most == 0)
    fail(name, "it has a frame of a kind that does not exist");
  if (header.bytes > most)
    fail(name, "a frame is larger than any that is written");
}

StreamEnd decode_end(std::span<const std::uint8_t> payload,
                     const std::string &name) {
  StreamEnd end = {};
  if (payload.size() < sizeof(end))
    fail(name, "its last frame is cut off");
  std::memcpy(&end, payload.data(), sizeof(end));
  return end;
}

} // namespace pagetide::checkpoint
