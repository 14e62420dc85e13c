//===- dynamic_symbols.cpp - The symbols that a loaded file exports -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/dynamic_symbols.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <sys/auxv.h>

using namespace __sanitizer;

namespace pagetide {

DynamicSymbols::DynamicSymbols(const link_map &file) : base_(file.l_addr) {
  for (const ElfW(Dyn) *entry = file.l_ld; entry->d_tag != DT_NULL; ++entry) {
    uptr value = entry->d_un.d_ptr;
    if (value < base_) // nobody relocates the vDSO's
      value += base_;
    const auto pointer = (const void *)value;
    if (entry->d_tag == DT_SYMTAB)
      symbols = (const ElfW(Sym) *)pointer;
    else if (entry->d_tag == DT_STRTAB)
      strings = (const char *)pointer;
    else if (entry->d_tag == DT_GNU_HASH)
      gnu_hash_ = (const u32 *)pointer;
    else if (entry->d_tag == DT_HASH)
      hash_ = (const u32 *)pointer;
    else if (entry->d_tag == DT_VERSYM)
      versions_ = (const u16 *)pointer;
  }
}

uptr DynamicSymbols::Count() const {
  if (hash_)
    return hash_[1];
  if (!gnu_hash_)
    return 0;
  // Buckets name first symbols; a chain's last value is odd.
  const u32 buckets = gnu_hash_[0], first = gnu_hash_[1];
  const u32 *bucket = gnu_hash_ + 4 + gnu_hash_[2] * 2;
  const u32 *chain = bucket + buckets;
  u32 last = 0;
  for (u32 i = 0; i < buckets; ++i)
    last = bucket[i] > last ? bucket[i] : last;
  if (last < first)
    return first;
  while (!(chain[last - first] & 1))
    ++last;
  return last + 1;
}

bool DynamicSymbols::IsFunction(uptr i, const char *name) const {
  constexpr u16 kIsOlderVersion = 0x8000;
  const ElfW(Sym) &symbol = symbols[i];
  const u32 type = ELF64_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF &&
         (type == STT_FUNC || type == STT_GNU_IFUNC) &&
         !(versions_ && (versions_[i] & kIsOlderVersion)) &&
         !internal_strcmp(strings + symbol.st_name, name);
}

const ElfW(Sym) * DynamicSymbols::Find(const char *name) const {
  if (!gnu_hash_) {
    for (uptr i = 0, count = Count(); i < count; ++i)
      if (IsFunction(i, name))
        return &symbols[i];
    return nullptr;
  }
  u32 hash = 5381;
  for (const char *c = name; *c; ++c)
    hash = hash * 33 + (u8)*c;
  const u32 buckets = gnu_hash_[0], first = gnu_hash_[1];
  const u32 *bucket = gnu_hash_ + 4 + gnu_hash_[2] * 2;
  const u32 *chain = bucket + buckets;
  u32 i = buckets ? bucket[hash % buckets] : 0;
  if (i < first)
    return nullptr;
  for (;; ++i) {
    const u32 other = chain[i - first];
    if ((other | 1) == (hash | 1) && IsFunction(i, name))
      return &symbols[i];
    if (other & 1) // the chain's last
      return nullptr;
  }
}

void *DynamicSymbols::FindFunction(const char *name) const {
  const ElfW(Sym) *symbol = Find(name);
  if (!symbol)
    return nullptr;
  const uptr address = base_ + symbol->st_value;
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? (void *)address
                                                    : ((void *(*)())address)();
}

/// The files of this library's namespace, which need not be the program's.
static const link_map *FirstFile() {
  dl_find_object found;
  if (_dl_find_object((void *)FirstFile, &found) != 0)
    return _r_debug.r_map;
  const link_map *file = found.dlfo_link_map;
  while (file->l_prev)
    file = file->l_prev;
  return file;
}

void *FunctionOfLibc(const char *name) {
  static const char kEnd[] = "/libc.so.6";
  for (const link_map *file = FirstFile(); file; file = file->l_next) {
    const uptr length = internal_strlen(file->l_name);
    if (length >= sizeof(kEnd) - 1 &&
        !internal_strcmp(file->l_name + length - (sizeof(kEnd) - 1), kEnd))
      return DynamicSymbols(*file).FindFunction(name);
  }
  return nullptr;
}

void *FunctionOfVdso(const char *name) {
  link_map vdso = {};
  vdso.l_addr = getauxval(AT_SYSINFO_EHDR);
  if (!vdso.l_addr)
    return nullptr;
  const auto *header = (const ElfW(Ehdr) *)vdso.l_addr;
  const auto *part = (const ElfW(Phdr) *)(vdso.l_addr + header->e_phoff);
  for (u32 i = 0; i < header->e_phnum; ++i)
    if (part[i].p_type == PT_DYNAMIC)
      vdso.l_ld = (ElfW(Dyn) *)(vdso.l_addr + part[i].p_vaddr);
  return vdso.l_ld ? DynamicSymbols(vdso).FindFunction(name) : nullptr;
}

} // namespace pagetide
