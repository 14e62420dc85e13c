//===- stream_files.h - Streams of checkpoints as commands have them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "store/apply_stream.h"
#include "store/folder.h"

#include <cstdint>
#include <string>

namespace pagetide::tools {

struct StreamFacts {
  std::uint64_t bytes = 0; ///< of all regions
  std::uint64_t stream_bytes = 0;
};

/// Writes a checkpoint of a folder to a file that exists, or to standard output
/// ("-"). Throws checkpoint::Error and Failure.
StreamFacts write_stream(const checkpoint::Folder &folder, std::uint64_t number,
                         const std::string &output);

/// Makes a checkpoint of the stream in a file, or from standard input ("-").
/// Throws checkpoint::Error.
checkpoint::AppliedStream read_stream(const std::string &input,
                                      const std::string &folder);

} // namespace pagetide::tools
