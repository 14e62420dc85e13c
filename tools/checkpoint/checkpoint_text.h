//===- checkpoint_text.h - Checkpoints for people and for programs --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "checkpoint/checkpoint_facts.h"
#include "store/apply_stream.h"

#include <string>
#include <vector>

namespace pagetide::tools {

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
