//===- elf_image.h - What a mapped ELF file has where ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// What is known about a file that a process has mapped.
struct ModuleFile {
  bool is_elf = false;
  bool instrumented = false;
  std::uint64_t first_address = 0; ///< as linked, of its first segment
  /// What the loader writes and then makes read-only. May be empty.
  std::uint64_t relro_begin = 0;
  std::uint64_t relro_end = 0;
  /// Functions of libc that it imports and whose writes the runtime does not
  /// see (not_seen.txt).
  std::vector<std::string> not_seen;
  /// Names of variables in [begin, end), addresses as linked.
  std::function<std::vector<std::string>(std::uint64_t begin,
                                         std::uint64_t end)>
      variables;
};
using ModuleLookup = std::function<ModuleFile(const std::string &path)>;

/// Looks at an ELF file that a process had mapped. If it cannot be read, it is
/// no ELF file. Its variables are read when they are first requested: from its
/// symbol table, or from the dynamic one if it is stripped.
ModuleFile read_module(const std::string &path);

/// Why the runtime does not see what a function of libc writes; null if it
/// does, or if the function writes nothing.
const char *why_not_seen(std::string_view function);

} // namespace pagetide::tools
