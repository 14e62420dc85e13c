//===- idle_shadow.h - Parts of the shadow that need not be looked at -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of all memory ever touched is large where programs are (8 MiB a GiB
// under layout rw, precision near), and most of it has no marks in a short
// period. What has had none for a while is put in the kernel's account
// (uffd_wp.h), which costs a mark there a fault of a microsecond once,
// and then left alone until the kernel says that it was written to.
//
// Why no mark is lost:
//
// - A page of the shadow is left alone only after it was looked at while it was
//   protected. Its cells were empty then, or have been taken. Whatever was
//   marked before the protection stood, that look has found.
// - A later mark lifts the protection before it is stored. The kernel does not
//   protect the page again; only this file does. So the next collection is told
//   of the page and looks at it, and at each one after that.
// - A page of which the kernel knows nothing (paged out, merged, mapped anew)
//   counts as written. Open asks the kernel at hand whether it sees it so.
// - The account is asked when a collection begins: what is marked in such a page
//   later is of the next period, as it is in a cell that was just passed.
//
// A program that marks in a thousand such pages a period pays a thousand faults,
// once, since a page that is marked in is looked at again until it has had no
// marks for another while. To look at one takes 0.16 us, to protect one and to
// lift that about 1 us: with the default of option idle_after this costs at most
// twice the cheaper of both ways.
//
// For the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_SHADOW_IDLE_SHADOW_H
#define PAGETIDE_RUNTIME_SHADOW_IDLE_SHADOW_H

#include "platform/page_vec.h"
#include "shadow/extents.h"

namespace pagetide {

/// The parts of `populated` that may hold marks, of one moment between call and
/// return.
const PageVec<ShadowExtent> &
ExtentsToTake(const PageVec<ShadowExtent> &populated);

/// There were marks in a page. To be called by slot and offset between
/// ExtentsToTake and TookAll.
void FoundMarks(u32 slot, u64 page);

/// All that ExtentsToTake named has been looked at, and taken. `ends_period`:
/// that is what the age of marks is counted in.
void TookAll(const PageVec<ShadowExtent> &populated, bool ends_period);

/// Recording has ended: nothing is protected any more.
void ForgetIdleShadow();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_SHADOW_IDLE_SHADOW_H
