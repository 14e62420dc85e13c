//===- stream_frames.h - Heads of a stream and of its frames --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "pagetide/checkpoint_stream_format.h"

#include <cstdint>
#include <span>
#include <string>

namespace pagetide::checkpoint {

StreamHeader stream_header(const Id &id);

/// The head of the frame that follows the one with hash `before`.
FrameHeader frame_header(FrameKind kind, std::span<const std::uint8_t> payload,
                         std::uint64_t before);

/// The functions below trust no byte. `name` is the stream's, for messages.
/// They throw Error: kDamaged, and check() of a stream's head kVersion.

void check(const StreamHeader &header, const std::string &name);
void check(const FrameHeader &header, std::uint64_t before,
           const std::string &name);
StreamEnd decode_end(std::span<const std::uint8_t> payload,
                     const std::string &name);

} // namespace pagetide::checkpoint
