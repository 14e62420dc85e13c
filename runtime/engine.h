//===- engine.h - Ways to collect a period's page sets --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder's clock, checksums, callback and trace do not care how marks are
// come by. An engine does: it puts a period's accesses into the open period of
// staging. There is one engine so far, the shadow of instrumented code; engines
// that need no recompilation go behind the same functions.
//
// All functions run on the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINE_H

#include "period_result.h"

namespace pagetide {

/// A thread that wrote in the period just collected.
struct WriterOfPeriod {
  u32 slot;
  u32 tid; ///< 0: several threads, never settled
  u64 generation;
  u64 cpu_ns; ///< its CPU time when its marks had been taken
  uptr first; ///< its words with write marks, into a vector of such
  uptr count;
  bool waits; ///< it has settled: see SettleSlot
};

struct Engine {
  const char *name; ///< as in the trace's Process frame

  /// Forgets all marks: the first period begins. Returns 0 or an errno.
  int (*start)();

  /// Takes all marks into the open period, and tells settle.h who wrote which
  /// words, as start and take do. `ends_period`: it is to be closed; otherwise
  /// peeks still see what was taken. False where staging is full.
  bool (*collect)(bool ends_period);

  /// Makes unstable each stable page that was marked as written since the last
  /// collection, or that the kernel may be writing.
  void (*recheck)(PageVec<PageHash> &pages);

  /// Marks since the last period ended, of words whose granules lie in
  /// [begin, end): appended to `words`, all threads together.
  void (*peek)(GranuleRange range, PageVec<StagedWord> &words);

  /// Takes the marks that a peek found, and no others, into the open period:
  /// later peeks do not see them.
  bool (*take)(GranuleRange range);
};

const Engine &ShadowEngine();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINE_H
