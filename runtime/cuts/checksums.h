//===- checksums.h - The checksums of a period ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"

namespace pagetide {

/// Hashes the granules of result.set that `mode` names, just after the period
/// was collected. Tells stable from unstable ones by the contract's rule. A
/// granule is stable only if all threads that had marked it as written were
/// settled before hashing began, and no mark and no system call wrote it by the
/// end. Carries what unsettled threads wrote. False if staging is full.
/// UnstablePolicy::kCut has HashAtCut instead (cut.h).
bool HashPeriod(const Engine &engine, trace::ChecksumMode mode,
                trace::UnstablePolicy policy, PeriodResult &result);

/// The granules of a set that `mode` names, sorted, all with one state.
void ListWanted(const PageSet &set, trace::ChecksumMode mode,
                ChecksumState state, PageVec<PageHash> &pages);

} // namespace pagetide
