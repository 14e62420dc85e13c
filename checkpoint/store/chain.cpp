//===- chain.cpp - A checkpoint, its parents, and where its bytes are -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// A piece, or what may become some, and its block.
struct PieceOfBlock {
  Piece piece;
  std::uint32_t block;
};

/// Sorts what is in order as a rule.
template <typename Before>
void put_in_order(std::vector<PieceOfBlock> &pieces, Before before) {
  if (!std::is_sorted(pieces.begin(), pieces.end(), before))
    std::sort(pieces.begin(), pieces.end(), before);
}

bool is_before_in_memory(const PieceOfBlock &a, const PieceOfBlock &b) {
  return a.piece.region != b.piece.region ? a.piece.region < b.piece.region
                                          : a.piece.offset < b.piece.offset;
}

bool is_before_in_file(const PieceOfBlock &a, const PieceOfBlock &b) {
  return a.block != b.block ? a.block < b.block
                            : a.piece.raw_offset < b.piece.raw_offset;
}

/// What the member holds of the newest one's regions, by their addresses.
std::vector<PieceOfBlock> held_by(const Manifest &member,
                                  const Manifest &newest) {
  std::vector<std::optional<std::uint32_t>> index;
  for (const Region &region : member.regions)
    index.push_back(newest.region_index(region.id));
  std::vector<PieceOfBlock> held;
  held.reserve(member.extents.size());
  for (std::uint32_t b = 0; b < member.blocks.size(); ++b) {
    std::uint32_t raw_offset = 0;
    for (const Extent &extent : member.extents_of(member.blocks[b])) {
      const auto bytes = static_cast<std::uint32_t>(extent.bytes);
      if (const auto region = index[extent.region])
        held.push_back({{*region, extent.offset, raw_offset, bytes}, b});
      raw_offset += bytes;
    }
  }
  put_in_order(held, is_before_in_memory);
  return held;
}

/// The parts of what a member holds that were missing, by their places in its
/// file. They are missing no more.
std::vector<PieceOfBlock> taken(const std::vector<PieceOfBlock> &held,
                                std::vector<MissingRanges> &missing) {
  std::vector<PieceOfBlock> parts;
  for (const auto &[whole, block] : held)
    missing[whole.region].take(
        whole.offset, whole.offset + whole.bytes,
        [&](std::uint64_t begin, std::uint64_t end) {
          const auto skipped = static_cast<std::uint32_t>(begin - whole.offset);
          parts.push_back({{whole.region, begin, whole.raw_offset + skipped,
                            static_cast<std::uint32_t>(end - begin)},
                           block});
        });
  for (MissingRanges &one : missing)
    one.end_pass();
  put_in_order(parts, is_before_in_file);
  return parts;
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
    for (std::uint32_t r = 0; r < missing.size(); ++r) {
      const auto own = member.region_index(newest().regions[r].id);
      missing[r].limit_to(own ? member.regions[*own].bytes : 0);
    }
    for (const auto &[piece, block] :
         taken(held_by(member, newest()), missing)) {
      const bool is_first = needed_.empty() || needed_.back().member != m ||
                            needed_.back().block != block;
      if (is_first)
        needed_.push_back({m, block, pieces_.size(), 0});
      pieces_.push_back(piece);
      ++needed_.back().piece_count;
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
