//===- mprotect_engine.cpp - Page sets by faults of a protected program ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The marks are those that write_protection.h makes, and the interceptors', in a
// shadow of layout `write`: from there on all is as with instrumented code. At a
// period's end no fault is served from before memory is protected anew until the
// marks have been taken: what is written before is in the period, what is written
// later faults, and is in the next one. So nobody is unsettled.
//
//===----------------------------------------------------------------------===//

#include "engines/mprotect_engine.h"

#include "engines/marks_engine.h"
#include "engines/write_protection.h"
#include "periods/settled.h"
#include "platform/page_vec.h"

namespace pagetide {

static const char *Start() {
  ForgetWriters();
  LockFaults();
  ProtectAll();
  const char *missing = ShadowEngine().start();
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
  const bool ok = ShadowEngine().collect(ends_period);
  OpenForKernel();
  UnlockFaults();
  ForgetWriters();
  return ok;
}

static void Recheck(PageVec<PageHash> &pages) {
  ShadowEngine().recheck(pages);
  // Stacks and the like: nobody knows.
  LockFaults();
  for (PageHash &page : pages)
    if (!IsProtectable(page.granule))
      MakeUnstable(page);
  UnlockFaults();
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  ShadowEngine().peek(range, words);
}

/// Taken pages must fault again: all are taken, those that nobody asked for for
/// the open period, where a peek still sees them.
static bool Take(GranuleRange range) {
  const bool ok = ShadowEngine().take(range);
  return Collect(false) && ok;
}

const Engine &MprotectEngine() {
  static const Engine engine = {"mprotect", Start, Stop, Collect,
                                Recheck,    Peek,  Take, PrepareProtection};
  return engine;
}

} // namespace pagetide
