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

/// Sets LD_PRELOAD, so that the runtime is preloaded into the commands that
/// this process starts. `engine` is one that needs no marks. Throws Failure if
/// it cannot record `file`.
void prepare_engine(const std::string &engine, bool per_thread,
                    const std::string &file, const ElfFile &elf);

/// Tells why no process of the run may have recorded, after the command's end.
void say_nothing_preloaded(const std::string &file, const std::string &engine);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_ENGINE_CHOICE_H
