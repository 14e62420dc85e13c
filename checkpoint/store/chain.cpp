//===- chain.cpp - A checkpoint, its parents, and where its bytes are -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "store/chain.h"

#include "format/error.h"
#include "store/missing_ranges.h"
#include "store/threads.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr int kLooks = 5;

std::string name_of(std::uint64_t number) {
  return "checkpoint " + std::to_string(number);
}

} // namespace

void Chain::load_members(const Folder &folder, std::uint64_t number) {
  members_.clear();
  members_.push_back(folder.manifest(number));
  while (!members_.back().is_base()) {
    const Manifest &child = members_.back();
    if (members_.size() == kMaxChain)
      throw Error(Problem::kDamaged,
                  folder.path() + ": " + name_of(number) +
                      " is damaged: its chain has no base within " +
                      std::to_string(kMaxChain) + " checkpoints");
    Manifest parent;
    try {
      parent = folder.manifest(child.parent);
    } catch (const Error &error) {
      if (error.problem() != Problem::kNone)
        throw;
      throw Error(Problem::kDamaged, folder.manifest_path(child.parent) +
                                         ": is missing, and " +
                                         name_of(child.number) + " needs it");
    }
    if (parent.id != child.parent_id)
      throw Error(Problem::kDamaged,
                  folder.manifest_path(child.parent) +
                      ": is another checkpoint than the one that " +
                      name_of(child.number) + " needs");
    members_.push_back(std::move(parent));
  }
}

void Chain::open_files(const Folder &folder) {
  files_.clear();
  for (const Manifest &member : members_)
    files_.push_back(
        open_data(folder.data_path(member.number, member.generation), member));
}

void Chain::find_needed() {
  std::vector<MissingRanges> missing;
  for (const Region &region : newest().regions)
    missing.emplace_back(region.bytes);
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    const Manifest &member = members_[m];
    // The newest manifest's index of each region of this one.
    std::vector<std::optional<std::uint32_t>> index;
    for (const Region &region : member.regions)
      index.push_back(newest().region_index(region.id));
    for (std::uint32_t r = 0; r < missing.size(); ++r) {
      const auto own = member.region_index(newest().regions[r].id);
      missing[r].limit_to(own ? member.regions[*own].bytes : 0);
    }
    for (std::uint32_t b = 0; b < member.blocks.size(); ++b) {
      NeededBlock needed = {m, b, pieces_.size(), 0};
      std::uint32_t raw_offset = 0;
      for (const Extent &extent : member.extents_of(member.blocks[b])) {
        if (const auto region = index[extent.region])
          missing[*region].take(
              extent.offset, extent.offset + extent.bytes,
              [&](std::uint64_t begin, std::uint64_t end) {
                const auto skipped =
                    static_cast<std::uint32_t>(begin - extent.offset);
                pieces_.push_back({*region, begin, raw_offset + skipped,
                                   static_cast<std::uint32_t>(end - begin)});
                ++needed.piece_count;
              });
        raw_offset += static_cast<std::uint32_t>(extent.bytes);
      }
      if (needed.piece_count != 0)
        needed_.push_back(needed);
    }
  }
  for (std::size_t r = 0; r < missing.size(); ++r)
    if (!missing[r].empty())
      throw Error(Problem::kDamaged,
                  name_of(newest().number) + ": is damaged: nothing has byte " +
                      std::to_string(missing[r].first()) + " of region " +
                      std::to_string(newest().regions[r].id));
}

Chain Chain::load(const Folder &folder, std::uint64_t number) {
  // A compaction may replace files between our looks at manifest and data.
  for (int look = 1;; ++look) {
    Chain chain;
    try {
      chain.load_members(folder, number);
      chain.open_files(folder);
    } catch (const FileGone &gone) {
      if (look < kLooks)
        continue;
      throw Error(Problem::kDamaged, std::string(gone.what()) +
                                         ": is missing, and " +
                                         name_of(number) + " needs it");
    } catch (const Error &error) {
      // The same for a parent that was removed because it was replaced.
      if (error.problem() != Problem::kDamaged || look >= kLooks)
        throw;
      continue;
    }
    chain.find_needed();
    return chain;
  }
}

Chain Chain::of(std::vector<Manifest> members, std::vector<File> data) {
  Chain chain;
  chain.members_ = std::move(members);
  chain.files_ = std::move(data);
  chain.find_needed();
  return chain;
}

std::uint64_t Chain::needed_bytes() const {
  std::uint64_t sum = 0;
  for (const NeededBlock &one : needed_)
    sum += block(one).stored_bytes;
  return sum;
}

void Chain::verify(BlockDecoder &decoder,
                   const std::function<void(std::uint64_t)> &progress) const {
  for (const NeededBlock &one : needed_) {
    decoder.stored(files_[one.member], block(one));
    if (progress)
      progress(block(one).stored_bytes);
  }
}

void Chain::read(BlockDecoder &decoder, const Take &take) const {
  for (const NeededBlock &one : needed_) {
    const auto raw = decoder.raw(files_[one.member], block(one));
    for (const Piece &piece : pieces(one))
      take(piece, raw.subspan(piece.raw_offset, piece.bytes));
  }
}

void Chain::verify_in_parallel() const {
  in_parallel(needed_.size(), [this](const NextIndex &next) {
    BlockDecoder decoder;
    for (std::size_t i = 0; next(i);)
      decoder.stored(files_[needed_[i].member], block(needed_[i]));
  });
}

void Chain::read_in_parallel(const Take &take) const {
  in_parallel(needed_.size(), [&](const NextIndex &next) {
    BlockDecoder decoder;
    for (std::size_t i = 0; next(i);) {
      const NeededBlock &one = needed_[i];
      const auto raw = decoder.content(files_[one.member], block(one));
      for (const Piece &piece : pieces(one))
        take(piece, raw.subspan(piece.raw_offset, piece.bytes));
    }
  });
}

std::uint64_t last_good(const Folder &folder, std::uint64_t from,
                        const std::string &program) {
  std::vector<std::uint64_t> numbers = folder.numbers();
  std::reverse(numbers.begin(), numbers.end());
  for (const std::uint64_t number : numbers) {
    if (number > from)
      continue;
    try {
      const Chain chain = Chain::load(folder, number);
      if (!program.empty() && chain.newest().program != program)
        continue;
      BlockDecoder decoder;
      chain.read(decoder, [](const Piece &, std::span<const std::uint8_t>) {});
      return number;
    } catch (const Error &) {
      continue; // the next older one may be good
    }
  }
  return 0;
}

} // namespace pagetide::checkpoint
