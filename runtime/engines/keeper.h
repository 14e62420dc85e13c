//===- keeper.h - Processes that keep the program's memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A keeper is a copy that the kernel makes as fork does, and that only waits to
// be killed. Its private memory is the program's at one instant: the end of the
// clone. Until then the kernel holds back each fault of the program's threads.
// So a write that the copy lacks ends after the clone, and with it all that
// follows this write.
//
// The program's wait calls do not see a keeper, unless they ask for __WALL or
// __WCLONE. It has the recorder's descriptors, not the program's. It blocks all
// signals. It ends with the recorder's thread.
//
// For the recorder's thread.

#pragma once

#include "engines/kept_page.h"
#include "platform/syscalls.h"

namespace pagetide {

struct Keeper {
  u32 pid;             ///< 0: there is none
  int pagemap, memory; ///< its files in /proc
  int leave;           ///< an eventfd that it waits for
};

/// Makes one. Returns null, or a static text that says what the system lacks.
const char *StartKeeper(Keeper &keeper);
/// Ends it. Returns when its memory is gone.
void EndKeeper(Keeper &keeper);
/// False once somebody has killed it.
bool IsKept(const Keeper &keeper);

/// Tells what `count` pages are, from page number `first` on. False if the
/// kernel does not tell. It never gives kZero.
bool ReadKeptPages(const Keeper &keeper, u64 first, uptr count,
                   KeptPage *pages);
/// Makes kZero of those among `count` pages, with these numbers, that are the
/// page of zeros: calls `is_zero` with their places. Returns an errno.
int FindZeroPages(const Keeper &keeper, const u64 *numbers, uptr count,
                  void (*is_zero)(uptr place, void *arg), void *arg);
/// Copies what the keeper has there. The frames stay shared: to pin a page, as
/// process_vm_readv does, would have the kernel copy it. False if not all of it
/// can be read.
bool ReadKept(const Keeper &keeper, uptr address, u8 *to, uptr bytes);
/// Brings a page back that is paged out.
void BringBack(const Keeper &keeper, u64 number);

/// Tries on pages of its own whether the kernel tells what this file needs.
/// Returns null, or a static text that says what the system lacks. Call it
/// first.
const char *TryKeeper();

/// True if a process may share private memory with this one, beside keepers of
/// this one: it was forked from this one, or this one was forked.
bool HasRelatives();

} // namespace pagetide
