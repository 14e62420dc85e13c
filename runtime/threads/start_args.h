//===- start_args.h - What a starting thread is told ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's creator leaves it a few words: what to run, and where. They lie in
// blocks that are there from the start, so that a program that could make a
// thread can make it under Pagetide too, however little memory is left.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_THREADS_START_ARGS_H
#define PAGETIDE_RUNTIME_THREADS_START_ARGS_H

#include "platform/syscalls.h"

namespace pagetide {

constexpr uptr kStartBlockBytes = 64;

/// Waits where all blocks are under way: each is given back by a thread's first
/// steps.
void *TakeStartBlock();
void GiveStartBlock(void *block);

/// In a forked child: nobody else's start is under way.
void RenewStartBlocksInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_START_ARGS_H
