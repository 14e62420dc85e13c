//===- auto_engine.h - The engine that fits a program and a wish ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `record` does if nobody names an engine. The table of engines
// (pagetide/engines.h) is in the order of preference; no engine is named here.

#pragma once

#include "support/elf_note.h"

#include "pagetide/engines.h"

#include <chrono>
#include <functional>
#include <string>

namespace pagetide::tools {

enum class Build {
  kMarked,     ///< instrumented
  kDynamic,    ///< has a dynamic loader, or is a script
  kStatic,     ///< statically linked
  kPrivileged, ///< the loader preloads nothing, because it gains rights
  kForeign,    ///< of another processor or word size
};

/// What the options ask for beside pages that were written. Each is the text of
/// the option, or empty.
struct Asked {
  static constexpr std::chrono::nanoseconds kDefaultPeriod =
      std::chrono::milliseconds(500);

  std::string reads;
  std::string per_thread;
  std::string granule;
  std::string contents;
  std::string cut;    ///< cuts, or else what only marks can do
  std::string driven; ///< what code in the program does, of any engine
  std::chrono::nanoseconds period = kDefaultPeriod;
};

/// Why the system lacks something; empty if it does not.
using Lacks = std::function<std::string(engines::Needs)>;

struct Choice {
  const engines::Capabilities *engine = nullptr; ///< null: refused
  std::string message; ///< why refused, or what to know; may be empty
};

/// The first engine of the table that fits. If a program without marks asks for
/// what they alone tell, the choice is marks: of the programs that it starts,
/// those with marks are recorded. `file` is for messages.
Choice choose_engine(const std::string &file, Build build, const Asked &asked,
                     const Lacks &lacks);

/// Whether the tools watch such a program, and the runtime is not in it.
constexpr bool watched_from_outside(const engines::Capabilities &engine,
                                    Build build) {
  return engine.outside || (engine.static_too && build == Build::kStatic);
}

/// Throws Failure if the engine that the user chose lacks what he asks for.
void require_asked(const engines::Capabilities &engine, Build build,
                   const Asked &asked);

struct ProgramFile {
  Build build;
  ElfFile elf; ///< of a script: its interpreter's
};

/// Looks at the file that is executed, and of a script at its interpreter.
ProgramFile examine_program(const std::string &path);

} // namespace pagetide::tools
