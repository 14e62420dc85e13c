//===- elf_tables.h - Tables of an ELF file, as they are in the file ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <elf.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

inline constexpr std::uint64_t kMaxTableBytes = 1u << 28;

/// Reads an array of T from a file. No value if a part of it is missing.
template <typename T>
std::optional<std::vector<T>> read_array(int fd, std::uint64_t offset,
                                         std::uint64_t bytes) {
  if (offset > INT64_MAX || bytes > kMaxTableBytes)
    return std::nullopt;
  std::vector<T> out(bytes / sizeof(T));
  const std::size_t want = out.size() * sizeof(T);
  if (::pread(fd, out.data(), want, static_cast<off_t>(offset)) !=
      static_cast<ssize_t>(want))
    return std::nullopt;
  return out;
}

/// A symbol table: the largest one, or the dynamic one. False if it cannot be
/// read.
template <typename Take> bool read_symbols(int fd, bool dynamic, Take take) {
  const auto header = read_array<Elf64_Ehdr>(fd, 0, sizeof(Elf64_Ehdr));
  if (!header || header->front().e_shentsize != sizeof(Elf64_Shdr))
    return false;
  const auto sections = read_array<Elf64_Shdr>(
      fd, header->front().e_shoff,
      std::uint64_t{header->front().e_shnum} * sizeof(Elf64_Shdr));
  if (!sections)
    return false;
  const Elf64_Shdr *table = nullptr;
  for (const Elf64_Shdr &section : *sections)
    if ((section.sh_type == SHT_SYMTAB && !dynamic) ||
        (section.sh_type == SHT_DYNSYM && !table))
      table = &section;
  if (!table || table->sh_link >= sections->size())
    return false;
  const Elf64_Shdr &strings = (*sections)[table->sh_link];
  const auto symbols =
      read_array<Elf64_Sym>(fd, table->sh_offset, table->sh_size);
  const auto names = read_array<char>(fd, strings.sh_offset, strings.sh_size);
  if (!symbols || !names)
    return false;
  for (const Elf64_Sym &symbol : *symbols) {
    if (symbol.st_name >= names->size())
      continue;
    const char *name = names->data() + symbol.st_name;
    const std::size_t most = names->size() - symbol.st_name;
    take(symbol, std::string(name, strnlen(name, most)));
  }
  return true;
}

} // namespace pagetide::tools
