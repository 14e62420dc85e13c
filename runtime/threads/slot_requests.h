//===- slot_requests.h - Slots for new threads ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that makes another one takes a slot that was given back, or maps
// the next one itself. If there is none, the new thread shares a slot. Nobody
// waits for the recorder, which may be busy for long: it empties the slots of
// ended threads when it gets to it.
//
// There are two exceptions. In a recording by threads, a thread that shares is
// listed under number 0. So if the slots have run out and some of ended threads
// are only to be emptied, the thread waits for that. And a system call filter
// may forbid what maps a slot. Then the recorder maps slots, some ahead, and
// the first start waits for these.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// A slot for a new thread; the fallback slot if the thread is to share one.
/// All signals are blocked.
u32 AcquireSlot();

/// How many threads had a slot of their own when others had to share for want
/// of slots; otherwise 0. Each start of a thread that shares raises `starts`.
u32 SlotsWhenTheyRanOut(u32 *starts);

/// On the recorder's thread, if AcquireSlot has asked for it: takes the marks
/// of ended threads (or drops them) and frees their slots.
void EmptySlotsIfAsked(bool recording, void (*empty_retired)(bool keep_marks));

/// For the fork handlers.
void LockSlotRequests();
void UnlockSlotRequests();

} // namespace pagetide
