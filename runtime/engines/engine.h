//===- engine.h - Ways to collect a period's page sets --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's clock, checksums, callback and trace do not depend on how
// accesses are detected. An engine detects them and puts them into the open
// period of staging. The engine `marks` serves instrumented code: it reads the
// marks in the shadow. The others serve programs that are not instrumented
// (docs/using/recording.md).
//
// All functions run on the recorder's thread.

#pragma once

#include "periods/period_result.h"
#include "platform/page_vec.h"

namespace pagetide {

// What each of them can do is in include/pagetide/engines.h.

/// What a thread's call under way may write.
struct CallInFlight {
  GranuleRange granules;
  u32 tid;
};

struct Engine {
  /// Forgets all accesses: the first period begins. Returns null, or a static
  /// text that says what the system lacks.
  const char *(*start)();

  /// The recording has ended. Does nothing if start has failed.
  void (*stop)();

  /// Moves all accesses into the open period. Tells settled.h who wrote which
  /// words, as start and take do. `ends_period`: the period is about to be
  /// closed. Otherwise peeks still see what was moved. False if staging is
  /// full.
  bool (*collect)(bool ends_period);

  /// Makes each stable page unstable that was written since the last
  /// collection, or that the kernel may be writing. Calls of threads that are
  /// asleep write nothing. Null: nobody knows whether a thread is.
  void (*recheck)(PageVec<PageHash> &pages, bool (*is_asleep)(u32 tid));

  /// Appends the accesses to granules of `range` since the last period ended to
  /// `words`, all threads together.
  void (*peek)(GranuleRange range, PageVec<StagedWord> &words);

  /// Moves the accesses that a peek found, and no others, into the open period.
  /// Later peeks do not see them.
  bool (*take)(GranuleRange range);

  //===- For cuts; null if the engine cannot tell ------------------------===//

  /// As collect(false), while the program's threads may be stopped: waits for
  /// no lock that they may hold. It may leave what was only read.
  bool (*collect_standing)() = nullptr;

  /// The collections after the next one are fast if little is written between
  /// them. Each call begins anew.
  void (*watch)() = nullptr;

  /// Appends the calls under way. False if they may write anywhere.
  bool (*in_flight)(PageVec<CallInFlight> &calls) = nullptr;

  //===- For checksums ---------------------------------------------------===//

  /// A descriptor of the program's memory as it was at the last collection.
  /// Every page in it is stable. Null: the engine keeps no memory.
  int (*kept_memory)() = nullptr;
};

//===- For engines --------------------------------------------------------===//

void MakeUnstable(PageHash &page);
/// The bits of a word whose granules lie in the range.
u64 MaskInRange(u64 word, GranuleRange range);

} // namespace pagetide
