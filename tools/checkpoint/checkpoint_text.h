//===- checkpoint_text.h - Checkpoints for people and for programs --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"
#include "store/apply_stream.h"
#include "store/folder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

/// One checkpoint. Its blocks are counted and not kept, so that a folder of any
/// size fits into memory.
struct CheckpointFacts {
  std::uint64_t number = 0;
  std::string problem; ///< empty: none was found
  std::uint64_t parent = 0;
  std::uint64_t chain = 0; ///< checkpoints that a restore reads; 0: not known
  std::uint64_t time_ns = 0;
  std::string program;
  std::uint64_t flags = 0;
  std::uint64_t granule = 0;
  std::uint64_t regions = 0;
  std::uint64_t bytes = 0;         ///< of all regions
  std::uint64_t changed_bytes = 0; ///< that this checkpoint holds itself
  std::uint64_t file_bytes = 0;
};

/// What one region has in a checkpoint, and in its own blocks.
struct RegionFacts {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::uint64_t changed_bytes = 0;
  std::uint64_t runs = 0;
};

/// All checkpoints of the folder by their manifests. With `verify`, all that
/// each needs is read and verified. Throws checkpoint::Error if the folder
/// cannot be read.
std::vector<CheckpointFacts> checkpoint_facts(const checkpoint::Folder &folder,
                                              bool verify);

/// The same of one checkpoint. Throws checkpoint::Error if it does not exist.
CheckpointFacts checkpoint_facts(const checkpoint::Folder &folder,
                                 std::uint64_t number, bool verify);

/// In the order of ids.
std::vector<RegionFacts> region_facts(const checkpoint::Manifest &manifest);

/// A table with a line for each checkpoint, and below it what is wrong.
std::string checkpoint_list_text(const std::string &folder,
                                 const std::vector<CheckpointFacts> &all);

/// One checkpoint and its regions.
std::string checkpoint_text(const CheckpointFacts &facts,
                            const std::vector<RegionFacts> &regions);

/// Of several checkpoints; docs/reference/cli-output.md describes it.
std::string checkpoint_list_json(const std::string &folder,
                                 const std::vector<CheckpointFacts> &all);

/// Of one, with its regions.
std::string checkpoint_json(const std::string &folder,
                            const CheckpointFacts &facts,
                            const std::vector<RegionFacts> &regions);

/// What a stream had, and the checkpoint that it became.
std::string applied_text(const std::string &folder,
                         const checkpoint::AppliedStream &applied);
std::string applied_json(const std::string &folder,
                         const checkpoint::AppliedStream &applied);

} // namespace pagetide::tools
