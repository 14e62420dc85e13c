//===- watch.h - Regions to report ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/page_set.h"
#include "platform/page_vec.h"

namespace pagetide {

/// The C API's pagetide_watch and pagetide_unwatch. Return a pagetide_status.
int Watch(uptr address, uptr bytes);
int Unwatch(uptr address, uptr bytes);

/// Copies the regions as granules that overlap them, sorted and disjoint. False
/// if everything is reported.
bool WatchedRegions(PageVec<GranuleRange> &ranges);

/// For the fork handlers.
void LockWatch();
void UnlockWatch();
void RenewWatchInChild();
/// After the control block has moved.
void RepublishWatch();

} // namespace pagetide
