//===- engines.h - What each way to detect accesses can do ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runtime and tools ask this table what an engine can do, and do not compare
// engines' names. A new engine is a row here, and a struct Engine
// (runtime/engines/engine.h) in runtime/engines/chosen_engine.cpp, or a watcher
// in tools/engines/.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_ENGINES_H
#define PAGETIDE_ENGINES_H

#include <cstdint>

namespace pagetide::engines {

enum class Kind : std::uint8_t { kMarks, kUffd, kFork, kSoftDirty, kEmulate };

struct Capabilities {
  Kind kind;
  const char *name; ///< in options and traces
  const char *sees; ///< in the help of options
  /// Serves instrumented programs. The other engines of the runtime are
  /// preloaded into programs that are not, and refuse those that are.
  bool by_marks;
  bool reads;       ///< sees reads too, if the build does
  bool per_thread;  ///< tells which thread made an access
  bool any_granule; ///< knows more than pages of the system
  bool cut;         ///< periods can end in cuts (unstable=cut), with copies
  bool needs_scans; ///< the kernel must tell which pages are written
  /// `pagetide record` watches the processes, of whatever program. Nothing is
  /// preloaded, and the runtime has no such engine.
  bool outside = false;
};

inline constexpr Capabilities kTable[] = {
    {Kind::kMarks, "marks", "what instrumented programs read and write",
     /*by_marks=*/true, /*reads=*/true, /*per_thread=*/true,
     /*any_granule=*/true, /*cut=*/true, /*needs_scans=*/false},
    {Kind::kUffd, "uffd", "what any dynamically linked program writes",
     /*by_marks=*/false, /*reads=*/false, /*per_thread=*/false,
     /*any_granule=*/false, /*cut=*/false, /*needs_scans=*/true},
    {Kind::kFork, "fork", "what any such program writes to private memory",
     /*by_marks=*/false, /*reads=*/false, /*per_thread=*/false,
     /*any_granule=*/false, /*cut=*/false,
     /*needs_scans=*/false},
    {Kind::kSoftDirty, "soft-dirty", "what any program at all writes",
     /*by_marks=*/false, /*reads=*/false, /*per_thread=*/false,
     /*any_granule=*/false, /*cut=*/false, /*needs_scans=*/false,
     /*outside=*/true},
    {Kind::kEmulate, "emulate",
     "what any program reads and writes, in QEMU (slow)",
     /*by_marks=*/false, /*reads=*/true, /*per_thread=*/true,
     /*any_granule=*/false, /*cut=*/false, /*needs_scans=*/false,
     /*outside=*/true},
};
/// The names of the runtime's, for messages.
inline constexpr char kNames[] = "marks, uffd or fork";

constexpr const Capabilities &of(Kind kind) {
  return kTable[static_cast<std::uint8_t>(kind)];
}

static_assert([] {
  for (const Capabilities &engine : kTable)
    if (&of(engine.kind) != &engine)
      return false;
  return true;
}());

} // namespace pagetide::engines

#endif // PAGETIDE_ENGINES_H
