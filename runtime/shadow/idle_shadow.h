//===- idle_shadow.h - Parts of the shadow that need not be looked at -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shadow of all memory ever touched is large for large programs (8 MiB per
// GiB under layout rw, precision near). Most of it has no marks in a short
// period. Pages without marks for several periods become idle: they are
// protected through the kernel (uffd_wp.h), and not scanned until the kernel
// says that they were written to. The first mark in an idle page costs one
// fault, about 1 us.
//
// Why no mark is lost:
//
// - A page of the shadow becomes idle only when it has been scanned while it
//   was protected. Its cells were empty then, or their marks were taken. That
//   scan found all marks that were made before the page was protected.
// - A later mark lifts the protection before it is stored. The kernel does not
//   protect the page again; only this file does. So the next collection learns
//   of the page and scans it, and so does each one after that.
// - If the kernel has no entry for a page (paged out, merged, mapped again) the
//   page counts as written. Open tests that the running kernel does so.
// - The kernel is asked when a collection begins. A later mark in an idle page
//   belongs to the next period, as does a mark in a cell that was just scanned.
//
// A program that marks in a thousand idle pages pays a thousand faults, but
// only once: each page is then scanned in every period until it becomes idle
// again. Scanning a page takes 0.16 us. Protecting a page and lifting its
// protection take about 1 us together. With the default of option idle_after
// the total is at most twice the cheaper of scanning and protecting.
//
// For a cut the whole shadow is watched (WatchShadow): all pages are idle once
// they have been scanned. So a collection while the threads stand scans what
// was marked in the last milliseconds, and nothing else. Lifting the protection
// afterwards would take longer than the faults of those pages that are marked
// in the next period.
//
// For the recorder's thread.

#pragma once

#include "platform/page_vec.h"
#include "shadow/extents.h"

namespace pagetide {

/// A collection begins: asks the kernel which protected pages were written to.
/// Returns the parts of all slots that are not protected, by slot and offset.
/// What is populated since a page was protected is there. Null: nothing is
/// protected.
const PageVec<ShadowExtent> *BeginCollection();

/// The parts of `populated` that may have held marks when BeginCollection
/// looked.
const PageVec<ShadowExtent> &
ExtentsToTake(const PageVec<ShadowExtent> &populated);

/// There were marks in a page. Call by slot and offset between ExtentsToTake
/// and TookAll.
void FoundMarks(u32 slot, u64 page);

/// All marks in the extents of ExtentsToTake have been taken. If `ends_period`,
/// all pages are one period older.
void TookAll(const PageVec<ShadowExtent> &populated, bool ends_period);

/// Protects all of `populated`, so that the next collections look only at what
/// is marked from now on. Call it before a collection; each call begins anew.
/// Does nothing if the kernel cannot tell, or if a scan is as fast.
void WatchShadow(const PageVec<ShadowExtent> &populated);

/// Recording has ended: nothing is protected any more.
void ForgetIdleShadow();

} // namespace pagetide
