//===- start_args.h - Arguments of a starting thread ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's creator passes it a few words: what to run, and its slot. They lie
// in blocks. Hundreds of these exist from the start, so that creating a thread
// needs no more memory under Pagetide than without.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

constexpr uptr kStartBlockBytes = 64;

/// Waits if all blocks are in use and there is no memory for more: each new
/// thread gives its block back at once.
void *TakeStartBlock();
void GiveStartBlock(void *block);

/// In a forked child, where no other thread is being started.
void RenewStartBlocksInChild();

} // namespace pagetide
