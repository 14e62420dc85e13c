//===- cut_kernel_writes.h - Cuts of what nobody has marked ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With option kernel_writes a cut has the pages that the kernel saw written,
// beside those that were marked. The kernel protects what it reports at the
// same moment. So a page that is read after a report either stays as it was
// read, or is in a later report.
//
// Without the option these functions do nothing. For the recorder's thread.

#pragma once

#include "cuts/cut_pages.h"

namespace pagetide {

/// The period has ended: what was written until then is known.
void BeginKernelWrites();

/// Takes what was written since, and adds its pages as unread. Returns how many
/// granules these are.
u64 TakeKernelWrites(CutPages &cut);
/// Whether anything was taken since the period's end.
bool AnyLaterKernelWrites();
/// True if the kernel failed to tell: no content is known to be right.
bool KernelWritesUnknown();

/// Makes each stable page unstable that was written since it was taken.
void RecheckKernelWrites(PageVec<PageHash> &pages);

/// Adds what was taken to a period's set, where no mark says it.
void AddKernelWrites(const PageVec<GranuleRange> *watch, PageSet &set);

/// The set is complete. Without a cut, the next period has what was taken since
/// this one's end. With a cut it has so much of that as has no mark here: what
/// was marked before the end may have been written after the kernel's report.
void EndKernelWrites(bool is_cut, const PageSet &set);

/// A recording begins.
void ForgetKernelWrites();

} // namespace pagetide
