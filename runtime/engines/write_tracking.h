//===- write_tracking.h - Written pages, by the kernel's account ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// userfaultfd write-protects all pages of the process asynchronously: a write
// lifts the protection without stopping the writer. PAGEMAP_SCAN lists the
// unprotected pages and protects them again in one step. So the kernel reports
// which pages were written, by the program, by libraries or by the kernel
// itself. `pagetide audit` compares them with the marks, and the engine uffd
// records them. A process has one tracking, for one of these two.
//
// Two things are not reported. The first is memory that was unmapped or given
// back to the kernel since the last look. The second is a write that bypasses
// the process's page tables: by a device, by io_uring's registered buffers, or
// by another process that maps the same file.
//
// All functions are for the recorder's thread.

#pragma once

#include "pagetide/trace_format.h"
#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// Neighbouring pages. Runs of several calls together need not be sorted.
struct WrittenRun {
  u64 first, count; ///< page numbers: address >> 12
  u8 flags;         ///< trace::KernelRunFlags
};

/// A mapping, or part of one, that cannot be tracked.
struct UntrackedRange {
  uptr begin, end;
  const char *why;
};
/// Notes once for each range that `engine` does not see its writes. `told` has
/// what was noted before.
void NoteUntracked(const char *engine, const UntrackedRange &range,
                   PageVec<UntrackedRange> &told);

/// Returns null, or a static text that says what the system lacks.
/// `exclude_library`: this library's variables are not tracked. (The memory
/// that it maps never is.)
const char *StartWriteTracking(bool exclude_library);
void StopWriteTracking();

/// Ends the thread that tracking has, and starts it again or bails out.
/// Meanwhile nobody may move a mapping.
void PauseWriteTracking();
void ResumeWriteTracking();

/// Tracks all mappings of the list. Appends, by ascending address, the pages
/// that were written since they were last taken. Without `take` those pages can
/// still be taken later, and only pages of new shared memory are appended,
/// which may have been written.
void TrackMappings(const MappingList &mappings, bool take,
                   PageVec<WrittenRun> &runs,
                   PageVec<UntrackedRange> &untracked);

/// Why a mapping with this name must not be tracked; null if it may be.
const char *WhyNotToTrack(const char *name);
/// "[vdso]" and the like belong to the kernel, and nobody writes them.
bool IsKernelPage(const char *name);
/// The address range of this library.
AddressRange OwnLibrary();
/// Appends a run, or joins it with the last one.
void AddRun(PageVec<WrittenRun> &runs, uptr begin, uptr end, u8 flags);
void SortRanges(PageVec<AddressRange> &ranges);
/// Removes sorted ranges, which may overlap, from runs[first] on.
void RemoveRanges(const PageVec<AddressRange> &ranges,
                  PageVec<WrittenRun> &runs, uptr first);
/// True if there is private memory that was written and is not tracked yet.
bool FoundNewMemory();
/// Appends its pages. Returns 0 or an errno.
int ListNewMemory(PageVec<WrittenRun> &runs);

/// Sorts runs, which may overlap, and joins those that touch.
void UniteWritten(PageVec<WrittenRun> &runs);

/// Appends the pages of [begin, end) that were written since they were last
/// taken. Only memory that the last TrackMappings call tracked. Returns 0 or an
/// errno.
int TakeWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs);
/// The same, without taking it.
int LookAtWritten(uptr begin, uptr end, PageVec<WrittenRun> &runs);

} // namespace pagetide
