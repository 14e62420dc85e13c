//===- start_args.cpp - Arguments of a starting thread --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "threads/start_args.h"

#include "platform/locks.h"

namespace pagetide {

constexpr u32 kBlocks = 512;

namespace {
struct alignas(kStartBlockBytes) StartBlock {
  u32 taken; ///< outside the bytes that the block's user writes
  u8 room[kStartBlockBytes];
};
} // namespace

static StartBlock blocks[kBlocks];
/// Counts blocks given back. Threads that wait for a block sleep on it.
static u32 given_back;

void *TakeStartBlock() {
  for (;;) {
    const u32 seen = LoadAcquire(&given_back);
    for (StartBlock &block : blocks)
      if (!__atomic_load_n(&block.taken, __ATOMIC_RELAXED) &&
          !__atomic_exchange_n(&block.taken, 1, __ATOMIC_ACQUIRE))
        return block.room;
    FutexWait(&given_back, seen);
  }
}

void GiveStartBlock(void *block) {
  auto *owner =
      (StartBlock *)((uptr)block - __builtin_offsetof(StartBlock, room));
  StoreRelease(&owner->taken, 0);
  __atomic_fetch_add(&given_back, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&given_back);
}

void RenewStartBlocksInChild() {
  for (StartBlock &block : blocks)
    block.taken = 0;
}

} // namespace pagetide
