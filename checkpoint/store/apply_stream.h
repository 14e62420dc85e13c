//===- apply_stream.h - A stream becomes a checkpoint of a folder ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/checkpoint_stream_format.h"
#include "store/file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pagetide::checkpoint {

/// What a stream had, and what it became.
struct AppliedStream {
  struct Round {
    std::uint64_t bytes = 0;        ///< of regions
    std::uint64_t stream_bytes = 0; ///< that it took in the stream
  };
  std::uint64_t number = 0; ///< of the checkpoint
  std::string program;
  std::uint64_t regions = 0;
  std::uint64_t bytes = 0; ///< of all regions
  std::uint64_t stream_bytes = 0;
  std::vector<Round> rounds;
  StreamEnd end = {};
};

/// Is told bytes done and in total; the total is 0 while it is not known.
using ApplyProgress = std::function<void(std::uint64_t, std::uint64_t)>;

/// Adds the checkpoint that the stream carries to the folder, as its newest.
/// The folder is made if it is not there. Whatever is wrong with the stream,
/// there is either a checkpoint equal to the sender's or none. Throws Error:
/// kDamaged, kVersion, kProgram (the folder is another program's), kBusy,
/// kNoCut (the sender gave up), kIo.
AppliedStream apply_stream(const File &in, const std::string &folder,
                           const ApplyProgress &progress);

} // namespace pagetide::checkpoint
