//===- audit_writes.h - Which pages the kernel saw written ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `pagetide audit`, and for cuts with option kernel_writes: the pages that
// the kernel reports as written (write_tracking.h) go into the trace beside
// each period's marks.
//
// All functions are for the recorder's thread.

#pragma once

#include "engines/write_tracking.h"

namespace pagetide {

/// Starts. Returns null, or a static text that says what the system lacks.
/// `for_cuts`: this library's own variables do not count.
const char *StartKernelWrites(const MappingList &mappings, bool for_cuts);
bool WatchingKernelWrites();
void StopKernelWrites();

/// Appends the KernelWrites frames of `period` to `frames`, and a Regions frame
/// before them if regions have changed.
/// `exiting`: the process runs its files' destructors.
void CollectKernelWrites(u64 period, bool exiting, const MappingList &mappings,
                         PageVec<u8> &frames);

/// What the last call of CollectKernelWrites took.
const PageVec<WrittenRun> &CollectedKernelWrites();

/// Appends what was written since pages were last taken, and takes it. Memory
/// that is not tracked yet counts as written. The next CollectKernelWrites has
/// these pages too. Returns 0 or an errno. Call it with `runs` empty; they are
/// sorted then.
int TakeKernelWritesEarly(PageVec<WrittenRun> &runs);

/// A thread's slot is about to be freed. Remembers its stack for the next
/// period.
void RememberThreadArea(u32 slot);

} // namespace pagetide
