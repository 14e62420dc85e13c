//===- engines.h - What each way to detect accesses can do ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runtime and tools ask this table what an engine can do, and do not compare
// engines' names. A new engine is a row here. It also is a struct Engine
// (runtime/engines/engine.h) in runtime/engines/chosen_engine.cpp, or, if it
// watches from outside, a watcher in tools/engines.
//
// `pagetide record` chooses by itself if no engine is named: the first row that
// fits (tools/record/auto_engine.h). docs/using/engines.md says it to users.

#ifndef PAGETIDE_ENGINES_H
#define PAGETIDE_ENGINES_H

#include <cstdint>

namespace pagetide::engines {

enum class Kind : std::uint8_t { kMarks, kUffd, kFork, kSoftDirty, kEmulate };

/// What an engine needs of the system. `record` tries it.
enum class Needs : std::uint8_t {
  kNothing,
  kScans,  ///< the kernel tells which pages are written, and watches them again
  kCopies, ///< the kernel tells which pages two processes share
  kBits,   ///< the kernel keeps a bit for each page that is written
  kQemu,
};
constexpr const char *text_of(Needs needs) {
  switch (needs) {
  case Needs::kScans:
    return "Linux 6.7, userfaultfd allowed";
  case Needs::kCopies:
    return "a kernel with NUMA, memory for the copies";
  case Needs::kBits:
    return "CONFIG_MEM_SOFT_DIRTY, the right to trace";
  case Needs::kQemu:
    return "qemu-user, any kernel";
  case Needs::kNothing:
    break;
  }
  return "any kernel";
}

struct Capabilities {
  Kind kind;
  const char *name; ///< in options and traces
  const char *sees; ///< in the help of options
  /// Serves instrumented programs. The other engines refuse those.
  bool by_marks = false;
  bool reads = false;       ///< sees reads too, if the build does
  bool per_thread = false;  ///< tells which thread made an access
  bool any_granule = false; ///< knows more than pages of the system
  bool cut = false; ///< periods can end in cuts (unstable=cut), with copies
  Needs needs = Needs::kNothing;
  /// The tools watch the program, of any build. Otherwise the runtime is in it:
  /// without marks it is preloaded, so the program is dynamically linked.
  bool outside = false;
  bool static_too = outside;    ///< the tools watch what cannot be preloaded
  bool contents = true;         ///< checksums of pages, if not from outside
  bool by_itself = true;        ///< `record` may choose it
  const char *misses = "";      ///< of the writes, "not ..."
  unsigned costly_below_ms = 0; ///< shorter periods cost much
  const char *cost = "";        ///< "at ..."; empty: little
};

// In the order in which `record` prefers them.
inline constexpr Capabilities kTable[] = {
    {.kind = Kind::kMarks,
     .name = "marks",
     .sees = "what instrumented programs read and write",
     .by_marks = true,
     .reads = true,
     .per_thread = true,
     .any_granule = true,
     .cut = true},
    {.kind = Kind::kUffd,
     .name = "uffd",
     .sees = "what any dynamically linked program writes",
     .needs = Needs::kScans,
     .static_too = true,
     .costly_below_ms = 10},
    {.kind = Kind::kFork,
     .name = "fork",
     .sees = "what any such program writes to private memory",
     .needs = Needs::kCopies,
     .misses = "shared memory",
     .costly_below_ms = 1000},
    {.kind = Kind::kSoftDirty,
     .name = "soft-dirty",
     .sees = "what any program at all writes",
     .needs = Needs::kBits,
     .outside = true,
     .contents = false,
     .costly_below_ms = 10},
    {.kind = Kind::kEmulate,
     .name = "emulate",
     .sees = "what any program reads and writes, in QEMU (slow)",
     .reads = true,
     .per_thread = true,
     .needs = Needs::kQemu,
     .outside = true,
     .contents = false,
     .by_itself = false,
     .cost = "15 to 28 times the user time"},
};

constexpr const Capabilities &of(Kind kind) {
  return kTable[static_cast<std::uint8_t>(kind)];
}

static_assert([] {
  for (const Capabilities &engine : kTable)
    if (&of(engine.kind) != &engine)
      return false;
  return true;
}());

/// Names in a sentence.
struct NameList {
  char text[128] = {};
  unsigned bytes = 0;

  constexpr void add(const char *more) {
    while (*more)
      text[bytes++] = *more++;
  }
};

/// "a, b or c": the engines that the runtime serves.
inline constexpr NameList kNames = [] {
  unsigned left = 0;
  for (const Capabilities &engine : kTable)
    left += !engine.outside;
  NameList names;
  for (const Capabilities &engine : kTable) {
    if (engine.outside)
      continue;
    names.add(engine.name);
    if (--left)
      names.add(left == 1 ? " or " : ", ");
  }
  return names;
}();

} // namespace pagetide::engines

#endif // PAGETIDE_ENGINES_H
