//===- source_text.h - Finds and reads a source file ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// What the user says of the source.
struct SourceRequest {
  /// The file to annotate: a path as recorded, or its last parts. Empty: none.
  std::string file;
  /// Where sources have moved: the beginning of recorded paths, and what it is
  /// now.
  std::vector<std::pair<std::string, std::string>> moved;

  bool is_meant(const std::string &recorded) const;
};

/// Where the source of a recorded path is now.
std::string place_of_source(const SourceRequest &request,
                            const std::string &recorded);

/// The lines of the file with this recorded path. Throws Failure if it cannot
/// be read.
std::vector<std::string> read_source(const SourceRequest &request,
                                     const std::string &recorded);

} // namespace pagetide::tools
