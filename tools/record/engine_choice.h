//===- engine_choice.h - Recording what is not instrumented ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_ENGINE_CHOICE_H
#define PAGETIDE_TOOLS_RECORD_ENGINE_CHOICE_H

#include "support/elf_note.h"

#include <string>

namespace pagetide::tools {

/// Has the runtime preloaded into the commands that this process starts from
/// here on. Throws Failure where the engine (one that needs no marks) cannot
/// record `file`, before anything of it runs.
void prepare_engine(const std::string &engine, bool per_thread,
                    const std::string &file, const ElfFile &elf);

/// The command has ended, and no process of it has recorded.
void say_nothing_preloaded(const std::string &file, const std::string &engine);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_ENGINE_CHOICE_H
