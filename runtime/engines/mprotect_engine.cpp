//===- mprotect_engine.cpp - Page sets by faults of a protected program ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults and interceptors mark written pages in a shadow of layout `write`. The
// rest is done as for instrumented code. At a period's end faults are blocked
// from re-protection until the marks are collected, so every write falls into
// exactly one period, and no thread is unsettled.
//
//===----------------------------------------------------------------------===//

#include "engines/mprotect_engine.h"

#include "engines/marks_engine.h"
#include "engines/protection_events.h"
#include "engines/write_protection.h"
#include "periods/settled.h"
#include "platform/page_vec.h"

namespace pagetide {

static const char *Start() {
  ForgetWriters();
  LockFaults();
  ProtectAll();
  const char *missing = MarksEngine().start();
  UnlockFaults();
  return missing;
}

static void Stop() {
  LockFaults();
  UnprotectAll();
  UnlockFaults();
}

static bool Collect(bool ends_period) {
  LockFaults();
  ProtectAll();
  const bool ok = MarksEngine().collect(ends_period);
  OpenForKernel();
  UnlockFaults();
  ForgetWriters();
  return ok;
}

static void Recheck(PageVec<PageHash> &pages, bool (*is_asleep)(u32 tid)) {
  MarksEngine().recheck(pages, is_asleep);
  // Writes to excluded memory are not detected.
  LockFaults();
  for (PageHash &page : pages)
    if (!IsProtectable(page.granule))
      MakeUnstable(page);
  UnlockFaults();
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  MarksEngine().peek(range, words);
}

/// Taken pages must fault again, so all pages are protected again. Pages
/// outside the range go into the open period, where a peek still sees them.
static bool Take(GranuleRange range) {
  const bool ok = MarksEngine().take(range);
  return Collect(false) && ok;
}

const Engine &MprotectEngine() {
  static const Engine kEngine = {Start, Stop, Collect,          Recheck,
                                 Peek,  Take, PrepareProtection};
  return kEngine;
}

} // namespace pagetide
