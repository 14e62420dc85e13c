//===- start_args.cpp - Arguments of a starting thread --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/start_args.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "threads/place_table.h"

namespace pagetide {

namespace {
struct StartBlock {
  u32 place;
  u32 next;
  alignas(16) u8 room[kStartBlockBytes];
};
} // namespace

using Blocks = PlaceTable<StartBlock, &StartBlock::next>;
static StartBlock first_blocks[Blocks::kFirstBlock];
static Blocks blocks;
/// Creators that found no memory for another block, and what wakes them.
PAGETIDE_ZERO_IN_CHILD static u32 waiting, given_back;

void *TakeStartBlock() {
  blocks.PlaceFirst(first_blocks);
  u32 place = blocks.Take();
  if (place == kNoPlace) {
    __atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
    for (;;) {
      const u32 seen = LoadAcquire(&given_back);
      if ((place = blocks.Take()) != kNoPlace)
        break;
      FutexWait(&given_back, seen);
    }
    __atomic_fetch_sub(&waiting, 1, __ATOMIC_SEQ_CST);
  }
  StartBlock &block = blocks.At(place);
  block.place = place;
  return block.room;
}

void GiveStartBlock(void *room) {
  auto *block =
      (StartBlock *)((uptr)room - __builtin_offsetof(StartBlock, room));
  blocks.Give(block->place);
  __atomic_fetch_add(&given_back, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST))
    FutexWakeAll(&given_back);
}

void RenewStartBlocksInChild() { blocks.Reset(); }

} // namespace pagetide
