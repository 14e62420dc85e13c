//===- audit_writes.h - Which pages the kernel saw written ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For `pagetide audit`, beside the marks: what the kernel's account
// (write_tracking.h) says of each period goes into the trace.
//
// All functions are for the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_AUDIT_WRITES_H
#define PAGETIDE_RUNTIME_ENGINES_AUDIT_WRITES_H

#include "platform/page_vec.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// Begins to watch. Returns null, or what is missing, in a static text.
const char *StartKernelWrites(const MappingList &mappings);
bool WatchingKernelWrites();
void StopKernelWrites();

/// Appends to `frames` the KernelWrites frames of `period`, and before them a
/// Regions frame where regions have changed.
/// `exiting`: the process runs its files' destructors.
void CollectKernelWrites(u64 period, bool exiting, const MappingList &mappings,
                         PageVec<u8> &frames);

/// A thread's slot is about to be freed: where its stack was is needed once
/// more.
void RememberThreadArea(u32 slot);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_AUDIT_WRITES_H
