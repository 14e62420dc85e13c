//===- elf_note.h - Is this file instrumented, and how? -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/abi.h"

#include <optional>
#include <string>

namespace pagetide::tools {

/// What an executable says about itself.
struct ElfFile {
  bool is_elf = false;          ///< 64-bit little-endian x86-64 ELF
  bool is_dynamic = false;      ///< it asks for a dynamic loader
  bool gains_privilege = false; ///< runs with rights that its caller lacks
  std::optional<abi::ModuleInfo> note; ///< the first Pagetide note
};

/// Looks at a file. If it cannot be read, it is no ELF file.
ElfFile examine_elf(const std::string &path);

/// Where execvp would find the command. Empty if it would not.
std::string find_command(const std::string &command);
/// What is wrong with a command that was not found.
std::string text_of_not_found(const std::string &command);

} // namespace pagetide::tools
