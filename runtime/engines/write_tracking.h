//===- write_tracking.h - Written pages, by the kernel's account ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// userfaultfd protects all pages of the process, asynchronously (a write lifts
// the protection and stops nobody), and PAGEMAP_SCAN lists the unprotected ones
// and protects them again in one step. So the kernel tells which pages were
// written, whoever wrote them: the program's code, libraries, the kernel
// itself. `pagetide audit` compares that with the marks, and the engine uffd
// records it. There is one tracking a process, for one of the two.
//
// It does not see: what was unmapped, or given back to the kernel, since the
// last look; and writes that go around the process's page tables (a device,
// io_uring's registered buffers, another process's mapping of a shared file).
//
// All functions are for the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_WRITE_TRACKING_H
#define PAGETIDE_RUNTIME_ENGINES_WRITE_TRACKING_H

#include "pagetide/trace_format.h"
#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// Neighbouring pages. Where runs of several calls are put together, they need
/// not be sorted.
struct WrittenRun {
  u64 first, count; ///< page numbers: address >> 12
  u8 flags;         ///< trace::KernelRunFlags
};

/// A mapping, or part of one, that cannot be tracked.
struct UntrackedRange {
  uptr begin, end;
  const char *why;
};

/// Returns null, or what is missing, in a static text. `leave_library_out`:
/// this library's own variables are not tracked (what it maps never is).
const char *StartWriteTracking(bool leave_library_out);
void StopWriteTracking();

/// Has the mappings tracked, those that are already as well as new ones, and
/// appends what was written in them since it was last taken, by ascending
/// address. Without `take` that stays to be taken: appended is only what of new
/// shared memory may have been written.
void TrackMappings(const MappingList &mappings, bool take,
                   PageVec<WrittenRun> &runs,
                   PageVec<UntrackedRange> &untracked);

/// Why a mapping must not be touched, by its name; null where it may.
const char *WhyNotToTrack(const char *name);
/// Where this library lies.
AddressRange OwnLibrary();
/// Without tracking: appends the pages of [begin, end) that are there. Of private
/// memory those that were written since it was mapped; of shared memory those
/// that were touched. Returns 0, or an errno where the kernel does not tell.
int ListTouchedPages(uptr begin, uptr end, bool is_shared,
                     PageVec<WrittenRun> &runs);

/// True where there is private memory that was written and is not tracked yet.
bool FoundNewMemory();

/// Appends what was written in [begin, end) since it was last taken: of memory
/// that was tracked when TrackMappings was last called. Returns 0 or an errno.
int TakeWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs);
/// The same, without taking it.
int LookAtWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_WRITE_TRACKING_H
