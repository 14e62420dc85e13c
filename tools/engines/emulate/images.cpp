//===- images.cpp - Which code in QEMU is instrumented --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/images.h"

#include "engines/emulate/guest_memory.h"
#include "interceptors/call_memory.h"
#include "support/elf_tables.h"
#include "support/unique_fd.h"

#include <fcntl.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <list>
#include <mutex>
#include <vector>

namespace pagetide::emulation {

namespace {

struct Mapped {
  Range range;
  std::uint64_t offset = 0;
  bool writable = false;
  std::string path;
};

std::mutex lock; ///< of all here
std::vector<Mapped> mapped;
bool is_known = false;
std::list<Image> images;

void read_mappings() {
  mapped.clear();
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    Mapped one;
    char rights[5] = {};
    int path = 0;
    if (std::sscanf(
            line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
            &one.range.begin, &one.range.end, rights, &one.offset, &path) < 4)
      continue;
    one.range.begin -= guest_base;
    one.range.end -= guest_base;
    one.writable = rights[1] == 'w';
    one.path = line.substr(static_cast<std::size_t>(path));
    mapped.push_back(std::move(one));
  }
  is_known = true;
}

const Mapped *find_mapped(std::uint64_t address) {
  if (!is_known)
    read_mappings();
  const auto after = std::ranges::upper_bound(
      mapped, address, {}, [](const Mapped &m) { return m.range.begin; });
  if (after == mapped.begin() || !std::prev(after)->range.holds(address))
    return nullptr;
  return &*std::prev(after);
}

template <typename T> std::optional<T> guest(std::uint64_t address) {
  T value;
  if (!calls::CopyIn(&value, address, sizeof(T)))
    return std::nullopt;
  return value;
}

/// Pagetide's note among those in a segment, as it is loaded. It leads to the
/// record, and that to the byte.
void find_note(Image &image, std::uint64_t at, std::uint64_t end) {
  constexpr std::uint64_t kAlign = 4;
  const auto up = [](std::uint64_t n) {
    return (n + kAlign - 1) / kAlign * kAlign;
  };
  while (at + sizeof(Elf64_Nhdr) <= end && !image.note) {
    const auto head = guest<Elf64_Nhdr>(at);
    if (!head)
      return;
    const auto note = guest<abi::ModuleNote>(at);
    if (note && note->type == abi::kNoteType &&
        note->name_bytes == sizeof(abi::kNoteName) &&
        std::memcmp(note->name, abi::kNoteName, sizeof(abi::kNoteName)) == 0) {
      image.note = note->info;
      constexpr std::uint64_t kLink = offsetof(abi::ModuleNote, link);
      const auto add = [](std::uint64_t address, std::int32_t link) {
        return address + static_cast<std::uint64_t>(std::int64_t{link});
      };
      const std::uint64_t in_record = add(at + kLink, note->link) + kLink;
      const auto link = guest<std::int32_t>(in_record);
      if (link && note->info.flags & abi::kModuleOnDemand)
        image.marks_on = add(in_record, *link);
    }
    at += sizeof(Elf64_Nhdr) + up(head->n_namesz) + up(head->n_descsz);
  }
}

void read_file(Image &image, const Mapped &code) {
  const tools::UniqueFd fd(
      ::open(code.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd)
    return;
  const auto header =
      tools::read_array<Elf64_Ehdr>(fd.get(), 0, sizeof(Elf64_Ehdr));
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0)
    return;
  const auto segments = tools::read_array<Elf64_Phdr>(
      fd.get(), header->front().e_phoff,
      std::uint64_t{header->front().e_phnum} * sizeof(Elf64_Phdr));
  if (!segments)
    return;
  constexpr std::uint64_t kPageMask = ~std::uint64_t{4095};
  const auto own = std::ranges::find_if(*segments, [&](const Elf64_Phdr &s) {
    return s.p_type == PT_LOAD && code.offset - (s.p_offset & kPageMask) <
                                      s.p_filesz + (s.p_offset & ~kPageMask);
  });
  if (own == segments->end())
    return;
  const std::uint64_t bias =
      code.range.begin - (own->p_vaddr - own->p_offset + code.offset);
  for (const Elf64_Phdr &s : *segments) {
    const std::uint64_t begin = bias + s.p_vaddr;
    if (s.p_type == PT_LOAD) {
      if (image.memory.end == 0)
        image.memory.begin = begin & kPageMask;
      image.memory.end = begin + s.p_memsz;
    } else if (s.p_type == PT_NOTE) {
      find_note(image, begin, begin + s.p_memsz);
    }
  }
  tools::read_symbols(
      fd.get(), true, [&](const Elf64_Sym &symbol, const std::string &name) {
        if (symbol.st_shndx != SHN_UNDEF && name == "__pagetide_boundaries")
          image.boundaries = bias + symbol.st_value;
      });
}

} // namespace

const Image *image_at(std::uint64_t pc) {
  const std::lock_guard hold(lock);
  const Mapped *const code = find_mapped(pc);
  if (!code || !code->path.starts_with('/'))
    return nullptr;
  for (const Image &image : images)
    if (image.code.begin == code->range.begin &&
        image.code.end == code->range.end && image.path == code->path &&
        image.code_offset == code->offset)
      return &image;
  Image image;
  image.path = code->path;
  image.code = code->range;
  image.code_offset = code->offset;
  read_file(image, *code);
  images.push_back(std::move(image));
  return &images.back();
}

bool is_writable(std::uint64_t address) {
  const std::lock_guard hold(lock);
  const Mapped *const found = find_mapped(address);
  return found && found->writable;
}

bool is_of_runtime(std::uint64_t address) {
  const std::lock_guard hold(lock);
  return std::ranges::any_of(images, [&](const Image &image) {
    return image.boundaries != 0 && image.memory.holds(address);
  });
}

Range mapping_at(std::uint64_t address) {
  const std::lock_guard hold(lock);
  const Mapped *const found = find_mapped(address);
  return found ? found->range : Range();
}

void forget_mappings() {
  const std::lock_guard hold(lock);
  is_known = false;
}

} // namespace pagetide::emulation
