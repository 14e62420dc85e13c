//===- elf_image.cpp - What a mapped ELF file has where -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/elf_image.h"

#include "support/elf_note.h"
#include "support/elf_tables.h"
#include "support/page_bytes.h"
#include "support/unique_fd.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace pagetide::tools {

namespace {

struct Variable {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
};

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

namespace {

struct Reason {
  std::string_view functions; ///< with a space before and behind each
  const char *why;
};
/// Made of runtime/interceptors/not_seen.txt.
constexpr Reason kReasons[] = {
#include "not_seen.inc"
};

} // namespace

const char *why_not_seen(std::string_view function) {
  for (const Reason &reason : kReasons) {
    const std::string_view all = reason.functions;
    for (std::size_t at = all.find(function); at != std::string_view::npos;
         at = all.find(function, at + 1))
      if (!function.empty() && all[at - 1] == ' ' &&
          all[at + function.size()] == ' ')
        return reason.why;
  }
  return nullptr;
}

} // namespace pagetide::tools
