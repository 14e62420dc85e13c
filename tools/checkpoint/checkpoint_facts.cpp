//===- checkpoint_facts.cpp - What a folder of checkpoints has ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/checkpoint_facts.h"

#include "format/error.h"
#include "store/block_codec.h"
#include "store/chain.h"
#include "store/upkeep.h"
#include "support/progress.h"

#include <span>

namespace pagetide::tools {

using checkpoint::Chain;
using checkpoint::Error;
using checkpoint::Folder;
using checkpoint::Manifest;
using checkpoint::Problem;

namespace {

void fill_in(const Manifest &manifest, std::uint64_t manifest_bytes,
             CheckpointFacts &facts) {
  facts.parent = manifest.parent;
  facts.time_ns = manifest.time_ns;
  facts.program = manifest.program;
  facts.flags = manifest.flags;
  facts.granule = manifest.granule;
  facts.regions = manifest.regions.size();
  facts.bytes = manifest.region_bytes();
  facts.changed_bytes = manifest.raw_bytes();
  facts.file_bytes = manifest.data_bytes() + manifest_bytes;
}

/// Reads all that the checkpoint needs.
void verify_content(const Folder &folder, std::uint64_t number) {
  const Chain chain = Chain::load(folder, number);
  checkpoint::BlockDecoder decoder;
  Progress progress;
  const std::uint64_t total = chain.newest().region_bytes();
  std::uint64_t done = 0;
  chain.read(decoder, [&](const checkpoint::Piece &piece,
                          std::span<const std::uint8_t>) {
    done += piece.bytes;
    progress.at("checkpoint " + std::to_string(number), done, total);
  });
}

} // namespace

CheckpointFacts checkpoint_facts(const Folder &folder, std::uint64_t number,
                                 bool verify) {
  CheckpointFacts facts;
  facts.number = number;
  try {
    const Manifest manifest = folder.manifest(number);
    fill_in(manifest, checkpoint::encode(manifest).size(), facts);
    facts.chain = checkpoint::chain_length(folder, number);
    if (verify || facts.chain == 0)
      verify_content(folder, number);
  } catch (const Error &error) {
    if (error.problem() == Problem::kNone)
      throw;
    facts.problem = error.what();
  }
  return facts;
}

std::vector<CheckpointFacts> checkpoint_facts(const Folder &folder,
                                              bool verify) {
  std::vector<CheckpointFacts> all;
  for (const std::uint64_t number : folder.numbers()) {
    try {
      all.push_back(checkpoint_facts(folder, number, verify));
    } catch (const Error &error) {
      // Removed since we read the list.
      if (error.problem() != Problem::kNone)
        throw;
    }
  }
  return all;
}

std::vector<RegionFacts> region_facts(const Manifest &manifest) {
  std::vector<RegionFacts> all;
  for (const checkpoint::Region &region : manifest.regions)
    all.push_back({region.id, region.bytes, 0, 0});
  for (const checkpoint::Extent &extent : manifest.extents) {
    all[extent.region].changed_bytes += extent.bytes;
    ++all[extent.region].runs;
  }
  return all;
}

} // namespace pagetide::tools
