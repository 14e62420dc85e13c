//===- merge.h - A chain becomes one checkpoint ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "store/block_packer.h"
#include "store/chain.h"

#include <cstdint>
#include <functional>

namespace pagetide::checkpoint {

/// Is told bytes done and in total.
using MergeProgress = std::function<void(std::uint64_t, std::uint64_t)>;

/// What becomes of the chain's data files.
enum class Source {
  kStays,
  kIsUsedUp, ///< nobody reads them any more: the disk gets back what was read
};

/// How to compress what merging packs anew: by LZ4 if that is how the newest
/// compressed checkpoint of the chain is, whose program wants short restores.
/// Otherwise by zstd, more than a save does: no program waits for it.
int compression_like(const Chain &chain);

/// Passes on what the chain's checkpoint holds, all of it verified. The
/// regions of `out` are those of the checkpoint. Throws kDamaged, kIo.
void merge(const Chain &chain, Source source, BlockPacker &out,
           const MergeProgress &tell);

} // namespace pagetide::checkpoint
