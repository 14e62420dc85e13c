//===- shared_writes.h - What threads that share a slot wrote -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nobody knows which thread of a group made a mark in the group's slot. So the
// mark is settled once every thread has settled that was in the group when the
// mark was collected. The fallback slot itself, and slots that nobody has but
// into which unregistered threads mark, belong to all threads of the process.
//
// Some thread of a large group is always unsettled. So each slot has two lists
// of words: one that waits for the threads that were there when it began to
// wait, and one of what was collected since. When the first is settled, the
// second takes its place. So every word is carried for a limited time, and
// there is never more than each word twice.

#pragma once

#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

/// Words of a slot that has no thread of its own. Call it after the words were
/// collected: it looks who is in the group.
void AddSharedWrites(u32 slot, const StagedWord *words, uptr count);

/// Whether every group has settled, as far as this can be seen at once.
bool SharedWritesSettled();

/// Drops what has settled, and carries the rest into the open period, by the
/// rules of CarryUnsettled. If `others_settled` is false nothing has settled.
bool CarrySharedWrites(bool others_settled, PageVec<StagedWord> *unsettled);

void ForgetSharedWrites();

} // namespace pagetide
