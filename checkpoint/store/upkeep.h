//===- upkeep.h - Removing and merging checkpoints ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "store/checkpoint_writer.h"
#include "store/folder.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace pagetide::checkpoint {

/// How many checkpoints a restore of this one reads, by the manifests; 0 if it
/// or a parent cannot be read.
std::size_t chain_length(const Folder &folder, std::uint64_t number);

/// Removes what killed writers left: data that no manifest speaks of, and
/// manifests that were not completed. For the writer, before it saves. Does
/// nothing while someone else removes files.
void remove_leftovers(const Folder &folder);

/// The checkpoints above `after` and below `before`: the program went back to
/// `after`, and its next save was `before`.
struct WentBackBehind {
  std::uint64_t after = 0;
  std::uint64_t before = 0;
  bool has(std::uint64_t number) const {
    return number > after && number < before;
  }
};

/// Removes checkpoints that the `keep` newest do not need. Checkpoints whose
/// chain cannot be read do not count among these, and stay; nor do those that
/// the program went back behind, which stay until there are so many newer ones.
/// Does nothing while someone else removes files. Returns how many it removed.
std::size_t remove_old(const Folder &folder, std::size_t keep,
                       const WentBackBehind &behind = {});

struct Compaction {
  std::uint64_t number = 0;       ///< of the checkpoint that became a base
  std::uint64_t merged = 0;       ///< checkpoints that it was made of
  std::uint64_t removed = 0;      ///< checkpoints
  std::uint64_t bytes_before = 0; ///< of all files of checkpoints
  std::uint64_t bytes_after = 0;
};

/// Makes a base of the oldest of the `keep` newest checkpoints, and removes all
/// older ones. A program may save meanwhile. All that is read is verified.
/// `compression`: of what is packed anew; none: compression_like(). Throws
/// kBusy while someone else removes files, kDamaged, kIo. `progress` is told
/// bytes done and in total.
Compaction
compact(const Folder &folder, std::size_t keep, std::optional<int> compression,
        const std::function<void(std::uint64_t, std::uint64_t)> &progress);

} // namespace pagetide::checkpoint
