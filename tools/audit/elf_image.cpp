//===- elf_image.cpp - What a mapped ELF file has where -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/elf_image.h"

#include "audit/not_seen.h"
#include "support/elf_note.h"
#include "support/page_bytes.h"
#include "support/unique_fd.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kMaxTableBytes = 1u << 28;

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

struct Variable {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
};

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

/// The variables in the file's largest symbol table, sorted by address.
std::vector<Variable> read_variables(const std::string &path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::vector<Variable> out;
  if (!fd ||
      !read_symbols(
          fd.get(), false, [&](const Elf64_Sym &symbol, std::string name) {
            std::uint64_t end;
            if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                symbol.st_size != 0 && symbol.st_shndx != SHN_UNDEF &&
                !__builtin_add_overflow(symbol.st_value, symbol.st_size, &end))
              out.push_back({symbol.st_value, end, std::move(name)});
          }))
    return {};
  std::sort(out.begin(), out.end(), [](const Variable &a, const Variable &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.name < b.name;
  });
  return out;
}

} // namespace

ModuleFile read_module(const std::string &path) {
  ModuleFile file;
  const ElfFile elf = examine_elf(path);
  if (!elf.is_elf)
    return file;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd)
    return file;
  const auto header = read_array<Elf64_Ehdr>(fd.get(), 0, sizeof(Elf64_Ehdr));
  if (!header)
    return file;
  const auto segments = read_array<Elf64_Phdr>(
      fd.get(), header->front().e_phoff,
      std::uint64_t{header->front().e_phnum} * sizeof(Elf64_Phdr));
  if (!segments)
    return file;
  bool loads = false;
  for (const Elf64_Phdr &segment : *segments) {
    std::uint64_t end;
    if (__builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end))
      continue;
    if (segment.p_type == PT_LOAD) {
      if (!loads)
        file.first_address = segment.p_vaddr & ~(kPageBytes - 1);
      loads = true;
    } else if (segment.p_type == PT_GNU_RELRO) {
      // The loader makes only whole pages read-only.
      file.relro_begin = segment.p_vaddr & ~(kPageBytes - 1);
      file.relro_end = end & ~(kPageBytes - 1);
    }
  }
  file.is_elf = loads;
  file.instrumented = elf.note.has_value();
  read_symbols(fd.get(), true,
               [&](const Elf64_Sym &symbol, const std::string &name) {
                 if (symbol.st_shndx == SHN_UNDEF && why_not_seen(name))
                   file.not_seen.push_back(name);
               });
  std::sort(file.not_seen.begin(), file.not_seen.end());
  const auto variables =
      std::make_shared<std::optional<std::vector<Variable>>>();
  file.variables = [path, variables](std::uint64_t begin, std::uint64_t end) {
    if (!*variables)
      *variables = read_variables(path);
    std::vector<std::string> names;
    for (const Variable &v : **variables) {
      if (v.begin >= end)
        break;
      if (v.end > begin && (names.empty() || names.back() != v.name))
        names.push_back(v.name);
    }
    return names;
  };
  return file;
}

} // namespace pagetide::tools
