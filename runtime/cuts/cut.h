//===- cut.h - A period that ends at one instant --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checksums of a cut, or copies of pages, are all of one instant T, at
// which no thread makes an access. docs/internals/runtime.md (A cut) says what
// is read when, and why that is the content at T.
//
// For the recorder's thread.

#pragma once

#include "engines/engine.h"
#include "pagetide/cut_copies.h"

namespace pagetide {

/// Call it before the mappings are looked at, and before the period's marks are
/// collected. Mappings that change from here on are noted.
void BeginCut();

/// What a cut must know of its period.
struct CutOfPeriod {
  const Engine &engine;
  trace::ChecksumMode mode;
  bool per_thread;
  const PageVec<GranuleRange> *watch; ///< as BuildPageSet
  CopyRequest *copies;                ///< null: none are wanted
  /// Has the thread that asked for copies hold the others back, or let them go.
  /// False if it could not.
  bool (*hold_threads)(bool hold);
};

/// Hashes the granules of result.set just after the period was collected, so
/// that all hashes are of one instant. Adds to the set what was written until
/// then. Fills in result.cut. If there can be no cut, the hashes are as
/// HashPeriod makes them with UnstablePolicy::kFlag. Carries what unsettled
/// threads wrote. False if staging is full.
/// Answers cut.copies if that is not null.
bool HashAtCut(const CutOfPeriod &cut, PeriodResult &result);

/// Only answers cut.copies, so that all copies are of one instant. Leaves the
/// result as it is. False if staging is full.
bool CopyAtCut(const CutOfPeriod &cut, const PeriodResult &result);

/// A recording has ended.
void EndCuts();

} // namespace pagetide
