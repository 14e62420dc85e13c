//===- group_of_places.h - Which threads share a shadow -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Which places mark into one of `groups` shared slots. The first ones take
/// turns, so that few threads do not write the same cache lines. Further ones
/// follow in blocks: what threads that began together touch is near in memory,
/// and each slot maps, and the recorder reads, shadow for its own blocks only.
class GroupOfPlaces {
public:
  GroupOfPlaces(u32 group, u32 groups) : group_(group), groups_(groups) {}
  static u32 Of(u32 place, u32 groups) {
    return (place < kInTurn ? place : place / kBlock) % groups;
  }
  u32 First() const { return FirstFrom(0); }
  u32 After(u32 place) const { return FirstFrom(place + 1); }

private:
  static constexpr u32 kInTurn = 256, kBlock = 32;

  /// The first place of the group that is not below `place`.
  u32 FirstFrom(u32 place) const {
    if (place < kInTurn) {
      place += Missing(place);
      if (place < kInTurn)
        return place;
      place = kInTurn;
    }
    const u32 blocks = Missing(place / kBlock);
    return blocks ? (place / kBlock + blocks) * kBlock : place;
  }
  u32 Missing(u32 turn) const {
    return (group_ + groups_ - turn % groups_) % groups_;
  }

  u32 group_, groups_;
};

} // namespace pagetide
