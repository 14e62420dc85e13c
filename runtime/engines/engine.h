//===- engine.h - Ways to collect a period's page sets --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder's clock, checksums, callback and trace do not care how marks are
// come by. An engine does: it puts a period's accesses into the open period of
// staging. One serves instrumented code: its marks in the shadow. The others
// serve programs that are not instrumented (docs/using/recording.md).
//
// All functions run on the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINES_ENGINE_H

#include "periods/period_result.h"
#include "platform/page_vec.h"

struct sigaction;

namespace pagetide {

using Sigaction = int(int, const struct sigaction *, struct sigaction *);

struct Engine {
  const char *name; ///< as in the trace's Process frame

  /// Forgets all marks: the first period begins. Returns null, or what the
  /// system lacks for it, in a static text.
  const char *(*start)();

  /// Recording has ended. Does nothing where start has failed.
  void (*stop)();

  /// Takes all marks into the open period, and tells settled.h who wrote which
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

  /// On the program's first thread, before recording, if not null. Returns null,
  /// or what is missing, in a static text. `sigaction` is libc's.
  const char *(*prepare)(Sigaction *sigaction) = nullptr;
};

//===- For engines --------------------------------------------------------===//

void MakeUnstable(PageHash &page);
/// The bits of a word whose granules lie in the range.
u64 MaskInRange(u64 word, GranuleRange range);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_ENGINE_H
