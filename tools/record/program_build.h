//===- program_build.h - What kind of program a command is ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/auto_engine.h"
#include "support/elf_note.h"

#include <string>

namespace pagetide::tools {

struct ProgramFile {
  Build build;
  ElfFile elf; ///< of a script: its interpreter's
};

/// Looks at the file that is executed, and of a script at its interpreter.
ProgramFile examine_program(const std::string &path);

} // namespace pagetide::tools
