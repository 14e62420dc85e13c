//===- cut_calls.h - Calls under way while a cut is made ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call under way may write its buffer without a mark, so nobody knows what
// these pages hold at the instant. But a thread that sleeps in recv, or waits
// for a mutex, writes nothing until it runs again. The kernel accounts for
// each nanosecond that it runs. If its CPU time is the same before and after
// the pages are read, its buffer is what was read.
//
// For the recorder's thread, while the program's threads stand or sleep unless
// something else is said.

#pragma once

#include "cuts/cut_pages.h"
#include "engines/engine.h"

namespace pagetide {

/// Lists what calls under way may write. Makes the pages unread whose calls
/// sleep. False if a call may write anywhere.
bool ListCalls(const Engine &engine, PageVec<PageHash> &pages);

/// Waits while a call may write anywhere, 10 ms at most. The threads run.
void AwaitCallsAnywhere(const Engine &engine);

/// As Engine::recheck. Pages that calls write which do not sleep become gone.
void RecheckWithCalls(const Engine &engine, PageVec<PageHash> &just_read);

/// False if a thread that slept has run: its call may have written what was
/// read.
bool AllSleptOn();

/// Makes the pages unstable that have no content for their calls.
void MakeWrittenByCallsUnstable(PageVec<PageHash> &pages);

} // namespace pagetide
