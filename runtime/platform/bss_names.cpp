//===- bss_names.cpp - Names for memory behind a file's data --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/bss_names.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
/// Room for the file's header and 30 program headers. Files have some ten.
constexpr uptr kHeaderBytes = 2048;
constexpr uptr kMaxParts = 8;

struct BssPart {
  u64 begin, end;
  u64 offset; ///< in the file, if the file went on there
};

/// A loaded file.
struct Image {
  const Mapping *first; ///< has its header; null: none
  uptr count;
  BssPart parts[kMaxParts]; ///< sorted
};
} // namespace

/// The program headers in the first bytes of a file; empty if it is not an ELF
/// file.
static Span<Elf64_Phdr> ProgramHeaders(const u8 *bytes) {
  const Elf64_Ehdr &file = *(const Elf64_Ehdr *)bytes;
  if (internal_memcmp(file.e_ident, ELFMAG, SELFMAG) ||
      file.e_ident[EI_CLASS] != ELFCLASS64 ||
      file.e_phentsize != sizeof(Elf64_Phdr) || file.e_phoff % 8 ||
      file.e_phoff > kHeaderBytes ||
      file.e_phnum > (kHeaderBytes - file.e_phoff) / sizeof(Elf64_Phdr))
    return {nullptr, 0};
  return {(const Elf64_Phdr *)(bytes + file.e_phoff), file.e_phnum};
}

/// True if a mapping has the segment's code at the place where a loader puts
/// it. Of a file that is only read as data this is not so.
static bool IsLoaded(const MappingList &list, const Mapping &first,
                     const Elf64_Phdr &segment, u64 bias) {
  const u64 start = PageDown(bias + segment.p_vaddr);
  for (const Mapping &m : list.entries)
    if (m.start <= start && start < m.start + m.bytes)
      return (m.protection & PROT_EXEC) &&
             m.offset + (start - m.start) == PageDown(segment.p_offset) &&
             !internal_strcmp(list.NameOf(m), list.NameOf(first));
  return false;
}

/// Finds the .bss of the file whose header `first` begins with. Does not change
/// `image` if that is not a loaded file.
static void ReadImage(const MappingList &list, const Mapping &first,
                      ReadMemory read, Image &image) {
  alignas(8) u8 bytes[kHeaderBytes];
  if (!read(bytes, first.start, sizeof(bytes)))
    return;
  Image found = {&first, 0, {}};
  u64 bias = 0;
  bool has_bias = false, is_loaded = false;
  for (const Elf64_Phdr &segment : ProgramHeaders(bytes)) {
    if (segment.p_type != PT_LOAD)
      continue;
    if (!has_bias) {
      if (PageDown(segment.p_offset) != 0) // the header is not in a segment
        return;
      bias = first.start - PageDown(segment.p_vaddr);
      has_bias = true;
    }
    if ((segment.p_flags & PF_X) && segment.p_filesz)
      is_loaded |= IsLoaded(list, first, segment, bias);
    const u64 start = bias + segment.p_vaddr;
    // The last page of the file's part is mapped from the file.
    const u64 begin =
        segment.p_filesz ? PageUp(start + segment.p_filesz) : PageDown(start);
    const u64 end = PageUp(start + segment.p_memsz);
    if (first.start < begin && begin < end && found.count < kMaxParts)
      found.parts[found.count++] = {begin, end,
                                    segment.p_offset + (begin - start)};
  }
  if (is_loaded)
    image = found;
}

static Mapping PartOf(Mapping m, u64 begin, u64 end) {
  m.start = begin;
  m.bytes = end - begin;
  return m;
}

/// Adds memory without a file, divided where the image's .bss begins and ends.
static bool AddDivided(const MappingList &list, const Mapping &m,
                       const Image &image, MappingList &named) {
  u64 at = m.start;
  const u64 end = m.start + m.bytes;
  for (uptr i = 0; i < image.count; ++i) {
    const BssPart &part = image.parts[i];
    const u64 from = part.begin < at ? at : part.begin;
    const u64 to = end < part.end ? end : part.end;
    if (from >= to)
      continue;
    if (at < from && !AddMapping(named, list, PartOf(m, at, from)))
      return false;
    Mapping bss = PartOf(m, from, to);
    bss.name = image.first->name;
    bss.offset = part.offset + (from - part.begin);
    bss.bss = true;
    if (!AddMapping(named, list, bss))
      return false;
    at = to;
  }
  return at == end || AddMapping(named, list, PartOf(m, at, end));
}

int NameBss(const MappingList &list, ReadMemory read, MappingList &named) {
  named.entries.clear();
  named.names.clear();
  named.beyond = list.beyond;
  // Nothing is mapped between the parts of a loaded file: the last file that
  // began is the one whose .bss may follow.
  Image image = {};
  for (const Mapping &m : list.entries) {
    const char *name = list.NameOf(m);
    if (*name == '/' && !m.shared && !m.offset && (m.protection & PROT_READ))
      ReadImage(list, m, read, image);
    const bool may_be_bss =
        !m.shared && (!*name || !internal_strcmp(name, "[heap]"));
    if (!(may_be_bss && image.first ? AddDivided(list, m, image, named)
                                    : AddMapping(named, list, m)))
      return ENOMEM;
  }
  return 0;
}

} // namespace pagetide
